package dev.channelkit.testing;

import java.util.ArrayList;
import java.util.List;

/** One combination of the matrix. */
record Cell(StubKind stub, CallType type, ExecutorKind executor, Ending ending) {

  /** Every valid combination, in a fixed order. */
  static List<Cell> all() {
    List<Cell> cells = new ArrayList<>();
    for (StubKind stub : StubKind.values()) {
      for (CallType type : CallType.values()) {
        for (ExecutorKind executor : ExecutorKind.values()) {
          for (Ending ending : Ending.values()) {
            if (stub.makes(type) && executor.fits(stub) && ending.fits(stub, type, executor)) {
              cells.add(new Cell(stub, type, executor, ending));
            }
          }
        }
      }
    }
    return List.copyOf(cells);
  }

  /** Whether the executor of the call takes no task, so that no callback can ever arrive. */
  boolean rejects() {
    return executor == ExecutorKind.REJECTING;
  }

  @Override
  public String toString() {
    return stub + " / " + type + " / " + executor + " / " + ending;
  }
}
