package dev.channelkit.spark;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The twelve methods of Spark Connect and where their messages carry ids.
 *
 * <p>Numbers are the same in every version from 4.0.1 to 4.2.0. All requests carry the session in
 * field 1 and the user context in field 2, and that the user in its field 1.
 */
enum SparkRpc {
  EXECUTE_PLAN(
      "ExecutePlan",
      MethodType.SERVER_STREAMING,
      new Request("ExecutePlanRequest", 8, 6),
      new Response("ExecutePlanResponse", 15),
      Trait.MAY_CREATE_SESSION,
      Trait.CARRIES_OBSERVED_ID),
  ANALYZE_PLAN(
      "AnalyzePlan",
      MethodType.UNARY,
      new Request("AnalyzePlanRequest", 17),
      new Response("AnalyzePlanResponse", 15),
      Trait.MAY_CREATE_SESSION,
      Trait.CARRIES_OBSERVED_ID),
  CONFIG(
      "Config",
      MethodType.UNARY,
      new Request("ConfigRequest", 8),
      new Response("ConfigResponse", 4),
      Trait.MAY_CREATE_SESSION,
      Trait.CARRIES_OBSERVED_ID),
  ADD_ARTIFACTS(
      "AddArtifacts",
      MethodType.CLIENT_STREAMING,
      new Request("AddArtifactsRequest", 7),
      new Response("AddArtifactsResponse", 3),
      Trait.MAY_CREATE_SESSION,
      Trait.CARRIES_OBSERVED_ID),
  ARTIFACT_STATUS(
      "ArtifactStatus",
      MethodType.UNARY,
      new Request("ArtifactStatusesRequest", 5),
      new Response("ArtifactStatusesResponse", 3),
      Trait.MAY_CREATE_SESSION,
      Trait.CARRIES_OBSERVED_ID),
  INTERRUPT(
      "Interrupt",
      MethodType.UNARY,
      // The operation shares a oneof with the tag in field 5.
      new Request("InterruptRequest", 7, 6, 5),
      new Response("InterruptResponse", 3),
      Trait.MAY_CREATE_SESSION,
      Trait.CARRIES_OBSERVED_ID),
  // This one, ReleaseExecute and FetchErrorDetails have a field for the observed id that the
  // official client never fills.
  REATTACH_EXECUTE(
      "ReattachExecute",
      MethodType.SERVER_STREAMING,
      new Request("ReattachExecuteRequest", 6, 3),
      new Response("ExecutePlanResponse", 15)),
  RELEASE_EXECUTE(
      "ReleaseExecute",
      MethodType.UNARY,
      new Request("ReleaseExecuteRequest", 7, 3),
      new Response("ReleaseExecuteResponse", 3),
      Trait.RELEASES),
  RELEASE_SESSION(
      "ReleaseSession",
      MethodType.UNARY,
      new Request("ReleaseSessionRequest"),
      new Response("ReleaseSessionResponse", 2),
      Trait.RELEASES),
  FETCH_ERROR_DETAILS(
      "FetchErrorDetails",
      MethodType.UNARY,
      new Request("FetchErrorDetailsRequest", 5),
      new Response("FetchErrorDetailsResponse", 3),
      Trait.MAY_CREATE_SESSION),
  /** Since Spark 4.1. The response's id is that of the session cloned from. */
  CLONE_SESSION(
      "CloneSession",
      MethodType.UNARY,
      new Request("CloneSessionRequest", 5),
      new Response("CloneSessionResponse", 2),
      Trait.CARRIES_OBSERVED_ID),
  /** Since Spark 4.2. */
  GET_STATUS(
      "GetStatus",
      MethodType.UNARY,
      new Request("GetStatusRequest", 4),
      new Response("GetStatusResponse", 2),
      Trait.CARRIES_OBSERVED_ID);

  /** Stands for "this message has no such field": no field has number 0. */
  static final int NO_FIELD = 0;

  static final int SESSION_ID_FIELD = 1;
  static final int USER_CONTEXT_FIELD = 2;
  static final int USER_ID_FIELD_OF_USER_CONTEXT = 1;

  private static final String PACKAGE = "spark.connect.";

  private static final Map<String, SparkRpc> BY_METHOD = index(SparkRpc::fullMethodName);
  private static final Map<String, SparkRpc> BY_REQUEST = index(SparkRpc::requestType);
  private static final Map<String, SparkRpc> BY_RESPONSE = index(SparkRpc::responseType);

  private final String fullMethodName;
  private final MethodType methodType;
  private final String requestType;
  private final String responseType;
  private final int observedIdField;
  private final int operationIdField;
  private final int operationIdRivalField;
  private final int serverSideIdField;
  private final boolean mayCreateSession;
  private final boolean carriesObservedId;
  private final boolean releases;

  SparkRpc(
      String method, MethodType methodType, Request request, Response response, Trait... traits) {
    this.fullMethodName = "spark.connect.SparkConnectService/" + method;
    this.methodType = methodType;
    this.requestType = PACKAGE + request.type;
    this.responseType = PACKAGE + response.type;
    this.observedIdField = request.observedId;
    this.operationIdField = request.operationId;
    this.operationIdRivalField = request.operationIdRival;
    this.serverSideIdField = response.serverSideId;
    List<Trait> all = List.of(traits);
    this.mayCreateSession = all.contains(Trait.MAY_CREATE_SESSION);
    this.carriesObservedId = all.contains(Trait.CARRIES_OBSERVED_ID);
    this.releases = all.contains(Trait.RELEASES);
  }

  /** The method, or null if it is none of Spark Connect's. */
  static @Nullable SparkRpc of(MethodDescriptor<?, ?> method) {
    return BY_METHOD.get(method.getFullMethodName());
  }

  /** The method that takes messages of a type, or null. */
  static @Nullable SparkRpc ofRequestType(String fullName) {
    return BY_REQUEST.get(fullName);
  }

  /** A method that answers with messages of a type, or null; all that do agree on the numbers. */
  static @Nullable SparkRpc ofResponseType(String fullName) {
    return BY_RESPONSE.get(fullName);
  }

  String fullMethodName() {
    return fullMethodName;
  }

  MethodType methodType() {
    return methodType;
  }

  String requestType() {
    return requestType;
  }

  String responseType() {
    return responseType;
  }

  /** Number of the request's {@code client_observed_server_side_session_id}, or NO_FIELD. */
  int observedIdField() {
    return observedIdField;
  }

  /** Number of the request's {@code operation_id}, or NO_FIELD. */
  int operationIdField() {
    return operationIdField;
  }

  /** Number of the string that shares a oneof with the operation id, or NO_FIELD. */
  int operationIdRivalField() {
    return operationIdRivalField;
  }

  /** Number of the response's {@code server_side_session_id}. */
  int serverSideIdField() {
    return serverSideIdField;
  }

  /** Whether the call frees something on the server and so must never be held back. */
  boolean releases() {
    return releases;
  }

  /** Whether a server that does not know the session creates one on this call. */
  boolean mayCreateSession() {
    return mayCreateSession;
  }

  /** Whether clients fill the observed id once they have seen an answer of the session. */
  boolean carriesObservedId() {
    return carriesObservedId;
  }

  private static Map<String, SparkRpc> index(Function<SparkRpc, String> name) {
    return Arrays.stream(values())
        .collect(Collectors.toUnmodifiableMap(name, Function.identity(), (first, same) -> first));
  }

  private enum Trait {
    MAY_CREATE_SESSION,
    CARRIES_OBSERVED_ID,
    RELEASES
  }

  private record Request(String type, int observedId, int operationId, int operationIdRival) {
    Request(String type) {
      this(type, NO_FIELD);
    }

    Request(String type, int observedId) {
      this(type, observedId, NO_FIELD);
    }

    Request(String type, int observedId, int operationId) {
      this(type, observedId, operationId, NO_FIELD);
    }
  }

  private record Response(String type, int serverSideId) {}
}
