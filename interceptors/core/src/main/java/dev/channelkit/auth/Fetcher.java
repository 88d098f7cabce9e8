package dev.channelkit.auth;

/** Gets one token with its headers. May block; called by one thread at a time, timeouts aside. */
interface Fetcher {
  /**
   * Fetches.
   *
   * @param rejected whether the server refused the last token, so that a cached one will not do
   */
  Fetched fetch(boolean rejected) throws Exception;

  /** What a source of the application gives. */
  static Fetcher of(TokenSource source) {
    return rejected -> {
      Token token = source.fetch();
      if (token == null) {
        throw new UnusableTokenException("the token source returned null instead of a token");
      }
      return Fetched.bearer(token);
    };
  }
}
