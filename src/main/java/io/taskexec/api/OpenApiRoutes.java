package io.taskexec.api;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Every route of the API with its name, its body and the errors of its own, for the OpenAPI document. */
final class OpenApiRoutes {
    private OpenApiRoutes() {}

    /** By method and path. */
    static final Map<String, Route> ALL = Stream.of(
                    route("POST /payload-specs", "createPayloadSpec", "Creates a payload spec.")
                            .takes("NewPayloadSpec")
                            .fails(ErrorCode.CONFLICT, ErrorCode.INVALID_SCHEMA),
                    route("GET /payload-specs", "listPayloadSpecs", "Lists payload specs, newest first."),
                    route("GET /payload-specs/{name}", "getPayloadSpec", "Shows a payload spec.")
                            .fails(ErrorCode.PAYLOAD_SPEC_NOT_FOUND),
                    route("PUT /payload-specs/{name}", "updatePayloadSpec", "Replaces the schema of a payload spec.")
                            .takes("PayloadSpecUpdate")
                            .fails(
                                    ErrorCode.PAYLOAD_SPEC_NOT_FOUND,
                                    ErrorCode.PRECONDITION_FAILED,
                                    ErrorCode.INVALID_SCHEMA),
                    route("DELETE /payload-specs/{name}", "deletePayloadSpec", "Deletes a payload spec.")
                            .fails(ErrorCode.PAYLOAD_SPEC_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT),
                    route("POST /configs", "createConfig", "Creates a config.")
                            .takes("NewConfig")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /configs", "listConfigs", "Lists configs, newest first."),
                    route("GET /configs/{name}", "getConfig", "Shows a config.").fails(ErrorCode.CONFIG_NOT_FOUND),
                    route("PUT /configs/{name}", "updateConfig", "Replaces the values of a config.")
                            .takes("ConfigUpdate")
                            .fails(ErrorCode.CONFIG_NOT_FOUND, ErrorCode.PRECONDITION_FAILED),
                    route("DELETE /configs/{name}", "deleteConfig", "Deletes a config.")
                            .fails(ErrorCode.CONFIG_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT),
                    route("POST /secrets", "createSecret", "Creates a secret.")
                            .takes("NewSecret")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /secrets", "listSecrets", "Lists secrets without their values, newest first."),
                    route("GET /secrets/{name}", "getSecret", "Shows a secret without its value.")
                            .fails(ErrorCode.SECRET_NOT_FOUND),
                    route("PUT /secrets/{name}", "updateSecret", "Replaces the value of a secret.")
                            .takes("SecretUpdate")
                            .fails(ErrorCode.SECRET_NOT_FOUND, ErrorCode.PRECONDITION_FAILED),
                    route("DELETE /secrets/{name}", "deleteSecret", "Deletes a secret.")
                            .fails(ErrorCode.SECRET_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT),
                    route("POST /endpoints", "createEndpoint", "Registers an endpoint.")
                            .takes("NewEndpoint")
                            .fails(
                                    ErrorCode.CONFLICT,
                                    ErrorCode.INVALID_PAYLOAD_SPEC_REF,
                                    ErrorCode.INVALID_CONFIG_REF,
                                    ErrorCode.TEMPLATE_RESOLUTION_FAILED),
                    route("GET /endpoints", "listEndpoints", "Lists endpoints, newest first."),
                    route("GET /endpoints/{name}", "getEndpoint", "Shows an endpoint.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND),
                    route("PUT /endpoints/{name}", "updateEndpoint", "Makes the next version of an endpoint.")
                            .takes("EndpointUpdate")
                            .fails(
                                    ErrorCode.ENDPOINT_NOT_FOUND,
                                    ErrorCode.PRECONDITION_FAILED,
                                    ErrorCode.INVALID_PAYLOAD_SPEC_REF,
                                    ErrorCode.INVALID_CONFIG_REF,
                                    ErrorCode.TEMPLATE_RESOLUTION_FAILED),
                    route("DELETE /endpoints/{name}", "deleteEndpoint", "Deletes an endpoint without unfinished jobs.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT),
                    route("GET /endpoints/{name}/breaker", "getBreaker", "Shows whether deliveries are made or wait.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND),
                    route("POST /endpoints/{name}/enable", "enableEndpoint", "Ends that an endpoint is disabled.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND),
                    route("GET /endpoints/{name}/events", "listEndpointEvents", "Lists what happened, newest first.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND),
                    route("POST /jobs", "createJob", "Creates a job, or finds the one that has the key.")
                            .takes("NewJob")
                            .fails(
                                    ErrorCode.ENDPOINT_NOT_FOUND,
                                    ErrorCode.CONFLICT,
                                    ErrorCode.INVALID_CRON,
                                    ErrorCode.INPUT_VALIDATION_FAILED,
                                    ErrorCode.IDEMPOTENCY_KEY_REUSED),
                    route("POST /jobs/batch", "createJobs", "Creates many jobs, each with an answer of its own.")
                            .takes("NewJobs"),
                    route("GET /jobs", "listJobs", "Lists jobs, newest first."),
                    route("GET /jobs/{id}", "getJob", "Shows a job.").fails(ErrorCode.JOB_NOT_FOUND),
                    route("PUT /jobs/{id}", "updateJob", "Makes the next version of a CRON or INTERVAL job.")
                            .takes("JobUpdate")
                            .fails(
                                    ErrorCode.JOB_NOT_FOUND,
                                    ErrorCode.JOB_NOT_UPDATABLE,
                                    ErrorCode.INVALID_CRON,
                                    ErrorCode.INPUT_VALIDATION_FAILED),
                    route("PATCH /jobs/{id}", "patchJob", "Changes some fields of a CRON or INTERVAL job.")
                            .takes("JobPatch")
                            .fails(
                                    ErrorCode.JOB_NOT_FOUND,
                                    ErrorCode.JOB_NOT_UPDATABLE,
                                    ErrorCode.INVALID_CRON,
                                    ErrorCode.INPUT_VALIDATION_FAILED),
                    route("POST /jobs/{id}/cancel", "cancelJob", "Ends a schedule, or a one-shot job's execution.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.EXECUTION_NOT_CANCELLABLE),
                    route("GET /jobs/{id}/versions", "listJobVersions", "Lists all versions of a job, newest first.")
                            .fails(ErrorCode.JOB_NOT_FOUND),
                    route("GET /jobs/{id}/executions", "listJobExecutions", "Lists a job's executions, newest first.")
                            .fails(ErrorCode.JOB_NOT_FOUND),
                    route("GET /executions", "listExecutions", "Lists the executions of all jobs, newest first."),
                    route("POST /executions/bulk", "changeExecutions", "Repeats or cancels what a filter finds.")
                            .takes("NewBulk")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /operations", "listOperations", "Lists operations on many executions, newest first."),
                    route("GET /operations/{id}", "getOperation", "Shows how far an operation is.")
                            .fails(ErrorCode.OPERATION_NOT_FOUND),
                    route("POST /operations/{id}/cancel", "cancelOperation", "Ends an operation where it is.")
                            .fails(ErrorCode.OPERATION_NOT_FOUND, ErrorCode.CONFLICT),
                    route("GET /executions/{id}", "getExecution", "Shows an execution.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND),
                    route("POST /executions/{id}/cancel", "cancelExecution", "Cancels an execution.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND, ErrorCode.EXECUTION_NOT_CANCELLABLE),
                    route("GET /executions/{id}/attempts", "listAttempts", "Lists all attempts, first to last.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND),
                    route("GET /executions/{id}/logs", "listLogs", "Lists what happened, first to last.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND),
                    route("POST /executions/{id}/retry", "retryExecution", "Repeats an execution that has ended.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND, ErrorCode.CONFLICT),
                    route("GET /jobs/{id}/status", "getJobStatus", "Shows how a job is doing.")
                            .fails(ErrorCode.JOB_NOT_FOUND),
                    route("POST /jobs/{id}/pause", "pauseJob", "Lets no tick fire, until a time or for good.")
                            .takes("NewPause")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /jobs/{id}/resume", "resumeJob", "Lets ticks from now on fire again.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /jobs/{id}/trigger", "triggerJob", "Makes an execution now, beside the ticks.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /jobs/{id}/backfill", "backfillJob", "Makes executions of past ticks.")
                            .takes("NewBackfill")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("GET /jobs/{id}/ticks", "listTicks", "Lists what became of each tick, newest first.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("GET /jobs/{id}/gaps", "listGaps", "Lists ticks that are missing in the ledger.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /schedules/preview", "previewSchedule", "Says when a schedule fires.")
                            .takes("NewPreview")
                            .fails(ErrorCode.INVALID_CRON),
                    route("POST /keys", "createKey", "Creates an API key.")
                            .takes("NewKey")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /keys", "listKeys", "Lists API keys, newest first."),
                    route("GET /keys/{id}", "getKey", "Shows an API key without the key itself.")
                            .fails(ErrorCode.KEY_NOT_FOUND),
                    route("DELETE /keys/{id}", "revokeKey", "Revokes an API key.")
                            .fails(ErrorCode.KEY_NOT_FOUND),
                    route("GET /events", "followEvents", "Streams what happens to executions, as server-sent events.")
                            .fails(ErrorCode.CONFLICT, ErrorCode.EVENTS_GONE),
                    route("GET /audit", "listAudit", "Lists who changed what, newest first."))
            .collect(Collectors.toUnmodifiableMap(Route::key, Function.identity()));

    /** What answers 201, always or when there was no such job. */
    static final Set<String> CREATING = Set.of(
            "POST /payload-specs",
            "POST /configs",
            "POST /secrets",
            "POST /endpoints",
            "POST /jobs",
            "POST /jobs/{id}/trigger",
            "POST /keys",
            "POST /executions/bulk",
            "POST /executions/{id}/retry");

    /** What answers with the entity tag of a resource. */
    static final Set<String> TAGGED = Stream.of("payload-specs", "configs", "secrets", "endpoints")
            .flatMap(noun -> Stream.of("POST /" + noun, "GET /" + noun + "/{name}", "PUT /" + noun + "/{name}"))
            .collect(Collectors.toUnmodifiableSet());

    /**
     * What no signature tells of a route.
     *
     * @param body the schema of the request's body; null for none
     */
    record Route(
            String key, String id, String summary, @Nullable String body, List<ErrorCode> codes) {
        Route takes(String schema) {
            return new Route(key, id, summary, schema, codes);
        }

        Route fails(ErrorCode... errors) {
            return new Route(key, id, summary, body, List.of(errors));
        }
    }

    private static Route route(String key, String id, String summary) {
        return new Route(key, id, summary, null, List.of());
    }
}
