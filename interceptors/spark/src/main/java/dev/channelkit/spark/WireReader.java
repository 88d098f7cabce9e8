package dev.channelkit.spark;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Walks the fields of one encoded protobuf message and never throws.
 *
 * <p>A walk ends at the end of the message or at the first fault, which {@link #corrupt()} tells. A
 * field that is not wanted costs its tag and length, whatever its size: its content is jumped over
 * and not looked at. It accepts all that protobuf's own parser accepts, over-long varints and
 * unknown groups among it.
 */
final class WireReader {
  /** Returned instead of a tag when the walk is over. */
  static final int END = 0;

  // Groups nest no deeper in a message that a Spark server or client would accept.
  private static final int MAX_GROUP_DEPTH = 1024;
  private static final int MAX_VARINT_BYTES = 10;
  private static final char REPLACEMENT = '\uFFFD';

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int START_GROUP = 3;
  private static final int END_GROUP = 4;
  private static final int FIXED32 = 5;

  private final byte[] bytes;
  private int position;
  private int limit;
  private boolean corrupt;

  WireReader(byte[] bytes) {
    this.bytes = bytes;
    this.limit = bytes.length;
  }

  /** The tag of a string or message field. */
  static int lengthDelimitedTag(int fieldNumber) {
    return fieldNumber << 3 | LENGTH_DELIMITED;
  }

  boolean corrupt() {
    return corrupt;
  }

  /** The next tag, or {@link #END} at the end of the message and at a fault. */
  int nextTag() {
    if (corrupt || position == limit) {
      return END;
    }
    int tag = varint32();
    if (tag >>> 3 == 0) {
      corrupt = true;
    }
    return corrupt ? END : tag;
  }

  /** Jumps over the field whose tag was just read. */
  void skip(int tag) {
    if ((tag & 7) == START_GROUP) {
      skipGroup(tag >>> 3);
    } else {
      skipSingle(tag);
    }
  }

  /** The string whose tag was just read; null at a fault, which ill-formed UTF-8 is too. */
  @Nullable String string() {
    int length = length();
    if (corrupt) {
      return null;
    }
    int start = position;
    position += length;
    String text = new String(bytes, start, length, StandardCharsets.UTF_8);
    // The decoder puts this character where bytes were ill-formed, and where it was really meant.
    if (text.indexOf(REPLACEMENT) >= 0 && !isWellFormed(start, length)) {
      corrupt = true;
      return null;
    }
    return text;
  }

  /**
   * Enters the message whose tag was just read: from now on {@link #nextTag()} gives its fields.
   *
   * @return what {@link #leave} needs to go on behind it
   */
  int enter() {
    int outerLimit = limit;
    int length = length();
    if (!corrupt) {
      limit = position + length;
    }
    return outerLimit;
  }

  void leave(int outerLimit) {
    limit = outerLimit;
  }

  private void skipGroup(int number) {
    // A list of our own and no recursion: how deep groups nest is the sender's choice.
    int[] open = new int[4];
    int depth = 0;
    open[depth++] = number;
    while (depth > 0) {
      int tag = nextTag();
      if (tag == END) {
        corrupt = true;
        return;
      }
      switch (tag & 7) {
        case START_GROUP -> {
          if (depth == MAX_GROUP_DEPTH) {
            corrupt = true;
            return;
          }
          if (depth == open.length) {
            open = Arrays.copyOf(open, depth * 2);
          }
          open[depth++] = tag >>> 3;
        }
        case END_GROUP -> {
          if (open[--depth] != tag >>> 3) {
            corrupt = true;
            return;
          }
        }
        default -> skipSingle(tag);
      }
    }
  }

  private void skipSingle(int tag) {
    switch (tag & 7) {
      case VARINT -> varint32();
      case FIXED64 -> advance(Long.BYTES);
      case LENGTH_DELIMITED -> advance(length());
      case FIXED32 -> advance(Integer.BYTES);
      default -> corrupt = true;
    }
  }

  private int length() {
    int length = varint32();
    if (length < 0 || length > limit - position) {
      corrupt = true;
    }
    return length;
  }

  private void advance(int count) {
    if (corrupt || count > limit - position) {
      corrupt = true;
      return;
    }
    position += count;
  }

  /** A varint's lowest 32 bits: what protobuf takes as tag or length, too. */
  private int varint32() {
    if (position < limit && bytes[position] >= 0) {
      return bytes[position++];
    }
    int value = 0;
    for (int i = 0; i < MAX_VARINT_BYTES; i++) {
      if (position == limit) {
        break;
      }
      byte next = bytes[position++];
      if (i < 5) {
        value |= (next & 0x7f) << (7 * i);
      }
      if (next >= 0) {
        return value;
      }
    }
    corrupt = true;
    return 0;
  }

  private boolean isWellFormed(int start, int length) {
    try {
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes, start, length));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
