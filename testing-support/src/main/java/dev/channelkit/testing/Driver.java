package dev.channelkit.testing;

/** Makes one call the way an application with a certain kind of stub does. */
interface Driver {

  /**
   * Makes the call of {@code run}, brings about its ending, and returns what the caller saw.
   *
   * @throws Exception what the stub threw
   */
  String drive(CellRun run) throws Exception;

  static Driver of(StubKind stub) {
    return switch (stub) {
      case RAW -> new RawDriver();
      case ASYNC -> new AsyncDriver();
      case FUTURE -> StubDrivers::future;
      case BLOCKING_UNARY -> StubDrivers::blockingUnary;
      case ITERATOR -> StubDrivers::iterator;
      case BLOCKING_CALL -> StubDrivers::blockingCall;
    };
  }
}
