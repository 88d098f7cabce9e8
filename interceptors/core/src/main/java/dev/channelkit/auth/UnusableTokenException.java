package dev.channelkit.auth;

import java.io.IOException;

/** A source answered, but not with something that can be sent. */
final class UnusableTokenException extends IOException {
  private static final long serialVersionUID = 1L;

  UnusableTokenException(String message) {
    super(message);
  }
}
