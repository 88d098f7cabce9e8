package dev.channelkit.testing;

import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Compares a call through the interceptor with the same call on the bare channel. */
final class Judge {
  private final Cell cell;
  private final Set<InterceptorTrait> traits;
  private final Journal journal;

  Judge(Cell cell, Set<InterceptorTrait> traits, Journal journal) {
    this.cell = cell;
    this.traits = traits;
    this.journal = journal;
  }

  void judge(Outcome seen, Outcome bare) {
    if (seen.closes() > 1) {
      return; // the probe has noted it
    }
    if (cell.rejects()) {
      rejecting(seen);
      return;
    }
    switch (cell.ending()) {
      case DROPPED -> {}
      case CANCEL_BEFORE_START -> cancelBeforeStart(seen);
      case START_THROWS_BELOW -> startThrowsBelow(seen);
      case CANCEL_RACING_CLOSE -> {
        closedOnce(seen);
        if (!isLocal(seen, bare) && !traits.contains(InterceptorTrait.REWRITES_ERRORS)) {
          allow(seen, Status.Code.OK, Status.Code.CANCELLED);
        }
      }
      default -> {
        closedOnce(seen);
        if (!isLocal(seen, bare)) {
          compare(seen, bare);
        }
      }
    }
  }

  /** Whether the interceptor answered by itself a call that otherwise goes to the server. */
  private boolean isLocal(Outcome seen, Outcome bare) {
    return bare.startedBelow()
        && !seen.startedBelow()
        && traits.contains(InterceptorTrait.ANSWERS_LOCALLY);
  }

  private void rejecting(Outcome seen) {
    // gRPC itself lets the rejection through to the caller when call credentials are set.
    boolean fromGrpc =
        seen.startedBelow() && seen.seenByCaller().equals("RejectedExecutionException");
    if (!fromGrpc
        && !seen.seenByCaller().equals("nothing")
        && !traits.contains(InterceptorTrait.ANSWERS_LOCALLY)) {
      journal.broke(Rule.B3, "the caller saw " + seen.seenByCaller());
    }
  }

  private void cancelBeforeStart(Outcome seen) {
    if (seen.startedBelow()) {
      journal.broke(Rule.C4, "a call that was cancelled before start was started below");
    }
    if (seen.closes() == 1) {
      allow(seen, Status.Code.CANCELLED);
    } else if (seen.thrownByStart() == null) {
      journal.broke(Rule.C4, "start after cancel neither threw nor led to onClose");
    }
  }

  private void startThrowsBelow(Outcome seen) {
    boolean threw = seen.thrownByStart() != null;
    if (threw && seen.closes() > 0) {
      journal.broke(Rule.A5, "start threw and onClose came too");
    }
    if (!threw && seen.closes() == 0) {
      journal.broke(Rule.A5, "start below threw; here neither an exception nor onClose was seen");
    }
    Status status = seen.status();
    if (status != null && status.isOk() && !traits.contains(InterceptorTrait.ANSWERS_LOCALLY)) {
      journal.broke(Rule.A5, "onClose(OK) although start threw below");
    }
  }

  private void closedOnce(Outcome seen) {
    if (seen.closes() != 1) {
      journal.broke(Rule.B1, "onClose was called " + seen.closes() + " times");
    }
  }

  private void allow(Outcome seen, Status.Code... codes) {
    Status status = seen.status();
    if (status != null && !List.of(codes).contains(status.getCode())) {
      journal.broke(Rule.B7, "status " + status + " where only " + List.of(codes) + " can be");
    }
  }

  private void compare(Outcome seen, Outcome bare) {
    Status mine = seen.status();
    Status theirs = bare.status();
    if (mine == null || theirs == null) {
      return;
    }
    boolean bothFail = !mine.isOk() && !theirs.isOk();
    boolean rewritten = bothFail && traits.contains(InterceptorTrait.REWRITES_ERRORS);
    Ending.Match match = cell.ending().match();
    List<String> differences = new ArrayList<>();
    if (!rewritten) {
      differ(differences, "status code", mine.getCode(), theirs.getCode());
      differ(differences, "result of the stub", seen.seenByCaller(), bare.seenByCaller());
      if (match == Ending.Match.EXACT || match == Ending.Match.STATUS) {
        differ(differences, "description", mine.getDescription(), theirs.getDescription());
      }
      if (match == Ending.Match.EXACT) {
        differMetadata(differences, "trailers", seen.trailers(), bare.trailers());
      }
    }
    if (match == Ending.Match.EXACT) {
      differ(differences, "messages", seen.messages(), bare.messages());
      differMetadata(differences, "headers", seen.headers(), bare.headers());
      compareRequest(seen, bare);
    }
    if (!differences.isEmpty()) {
      journal.broke(Rule.B7, String.join("; ", differences));
    }
  }

  private void compareRequest(Outcome seen, Outcome bare) {
    Map<String, List<String>> mine = seen.requestHeaders();
    bare.requestHeaders()
        .forEach(
            (name, values) -> {
              if (!values.equals(mine.get(name))) {
                journal.broke(
                    Rule.A8, name + " was " + mine.get(name) + ", on the bare channel " + values);
              }
            });
    if (!traits.contains(InterceptorTrait.ADDS_REQUEST_HEADERS)) {
      mine.keySet().stream()
          .filter(name -> !bare.requestHeaders().containsKey(name))
          .forEach(
              name ->
                  journal.broke(
                      Rule.A8,
                      "header "
                          + name
                          + " was added; an interceptor that means to do that"
                          + " declares ADDS_REQUEST_HEADERS"));
    }
  }

  private void differMetadata(
      List<String> differences,
      String what,
      Map<String, List<String>> mine,
      Map<String, List<String>> theirs) {
    boolean same =
        traits.contains(InterceptorTrait.ADDS_RESPONSE_METADATA)
            ? mine.entrySet().containsAll(theirs.entrySet())
            : mine.equals(theirs);
    if (!same) {
      differences.add(what + " " + mine + ", on the bare channel " + theirs);
    }
  }

  private static void differ(List<String> differences, String what, Object mine, Object theirs) {
    if (!Objects.equals(mine, theirs)) {
      differences.add(what + " " + mine + ", on the bare channel " + theirs);
    }
  }
}
