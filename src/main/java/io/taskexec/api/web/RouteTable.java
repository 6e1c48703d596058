package io.taskexec.api.web;

import io.taskexec.request.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Every route of the API with its name, its body and the errors of its own, for the OpenAPI document. */
public final class RouteTable {
    private RouteTable() {}

    /** By method and path. */
    public static final Map<String, Route> ALL = Stream.of(
                    route("POST /payload-specs", "createPayloadSpec", "Create a payload spec.")
                            .takes("NewPayloadSpec")
                            .fails(ErrorCode.CONFLICT, ErrorCode.INVALID_SCHEMA),
                    route("GET /payload-specs", "listPayloadSpecs", "List payload specs, newest first."),
                    route("GET /payload-specs/{name}", "getPayloadSpec", "Get a payload spec.")
                            .fails(ErrorCode.PAYLOAD_SPEC_NOT_FOUND),
                    route("PUT /payload-specs/{name}", "updatePayloadSpec", "Replace the schema of a payload spec.")
                            .takes("PayloadSpecUpdate")
                            .fails(
                                    ErrorCode.PAYLOAD_SPEC_NOT_FOUND,
                                    ErrorCode.PRECONDITION_FAILED,
                                    ErrorCode.INVALID_SCHEMA),
                    route("DELETE /payload-specs/{name}", "deletePayloadSpec", "Delete a payload spec.")
                            .fails(ErrorCode.PAYLOAD_SPEC_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT),
                    route("POST /configs", "createConfig", "Create a config.")
                            .takes("NewConfig")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /configs", "listConfigs", "List configs, newest first."),
                    route("GET /configs/{name}", "getConfig", "Get a config.").fails(ErrorCode.CONFIG_NOT_FOUND),
                    route("PUT /configs/{name}", "updateConfig", "Replace the values of a config.")
                            .takes("ConfigUpdate")
                            .fails(ErrorCode.CONFIG_NOT_FOUND, ErrorCode.PRECONDITION_FAILED),
                    route("DELETE /configs/{name}", "deleteConfig", "Delete a config.")
                            .fails(ErrorCode.CONFIG_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT),
                    route("POST /secrets", "createSecret", "Create a secret.")
                            .takes("NewSecret")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /secrets", "listSecrets", "List secrets without their values, newest first."),
                    route("GET /secrets/{name}", "getSecret", "Get a secret without its value.")
                            .fails(ErrorCode.SECRET_NOT_FOUND),
                    route("PUT /secrets/{name}", "updateSecret", "Replace the value of a secret.")
                            .takes("SecretUpdate")
                            .fails(ErrorCode.SECRET_NOT_FOUND, ErrorCode.PRECONDITION_FAILED),
                    route("DELETE /secrets/{name}", "deleteSecret", "Delete a secret.")
                            .fails(ErrorCode.SECRET_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT),
                    route("POST /endpoints", "createEndpoint", "Register an endpoint.")
                            .takes("NewEndpoint")
                            .fails(
                                    ErrorCode.CONFLICT,
                                    ErrorCode.INVALID_PAYLOAD_SPEC_REF,
                                    ErrorCode.INVALID_CONFIG_REF,
                                    ErrorCode.TEMPLATE_RESOLUTION_FAILED),
                    route("GET /endpoints", "listEndpoints", "List endpoints, newest first."),
                    route("GET /endpoints/{name}", "getEndpoint", "Get an endpoint.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND),
                    route("PUT /endpoints/{name}", "updateEndpoint", "Replace an endpoint by its next version.")
                            .says("Jobs that exist keep the version that they were created with.")
                            .takes("EndpointUpdate")
                            .fails(
                                    ErrorCode.ENDPOINT_NOT_FOUND,
                                    ErrorCode.PRECONDITION_FAILED,
                                    ErrorCode.INVALID_PAYLOAD_SPEC_REF,
                                    ErrorCode.INVALID_CONFIG_REF,
                                    ErrorCode.TEMPLATE_RESOLUTION_FAILED),
                    route(
                                    "DELETE /endpoints/{name}",
                                    "deleteEndpoint",
                                    "Delete an endpoint that has no unfinished jobs.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND, ErrorCode.PRECONDITION_FAILED, ErrorCode.CONFLICT),
                    route("GET /endpoints/{name}/breaker", "getBreaker", "Get the circuit breaker of an endpoint.")
                            .says("It says whether deliveries to the endpoint are made, or wait because too many of"
                                    + " them failed.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND),
                    route("POST /endpoints/{name}/enable", "enableEndpoint", "Enable an endpoint that was disabled.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND),
                    route(
                                    "GET /endpoints/{name}/events",
                                    "listEndpointEvents",
                                    "List the events of an endpoint, newest first.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND),
                    route("POST /jobs", "createJob", "Create a job.")
                            .says("The trigger decides which fields a job has. The same request with the same"
                                    + " idempotency key answers 200 with the job that exists.")
                            .takes("NewJob")
                            .fails(
                                    ErrorCode.ENDPOINT_NOT_FOUND,
                                    ErrorCode.CONFLICT,
                                    ErrorCode.INVALID_CRON,
                                    ErrorCode.INPUT_VALIDATION_FAILED,
                                    ErrorCode.IDEMPOTENCY_KEY_REUSED),
                    route("POST /jobs/batch", "createJobs", "Create up to 1,000 jobs.")
                            .says("Each job has an answer of its own, in the same order: one that is refused does"
                                    + " not keep the others back.")
                            .takes("JobBatchRequest"),
                    route("GET /jobs", "listJobs", "List jobs, newest first."),
                    route("GET /jobs/{id}", "getJob", "Get a job.").fails(ErrorCode.JOB_NOT_FOUND),
                    route("PUT /jobs/{id}", "updateJob", "Replace a CRON or INTERVAL job by its next version.")
                            .says("The old version is retired. A field that the body leaves out gets its default,"
                                    + " not the value of the old version.")
                            .takes("JobUpdate")
                            .fails(
                                    ErrorCode.JOB_NOT_FOUND,
                                    ErrorCode.JOB_NOT_UPDATABLE,
                                    ErrorCode.INVALID_CRON,
                                    ErrorCode.INPUT_VALIDATION_FAILED),
                    route("PATCH /jobs/{id}", "patchJob", "Change some fields of a schedule.")
                            .says("A JSON Merge Patch. Fields that it does not name stay as they are; null is the"
                                    + " default. The result is the next version, as with PUT.")
                            .takes("JobPatch")
                            .fails(
                                    ErrorCode.JOB_NOT_FOUND,
                                    ErrorCode.JOB_NOT_UPDATABLE,
                                    ErrorCode.INVALID_CRON,
                                    ErrorCode.INPUT_VALIDATION_FAILED),
                    route("POST /jobs/{id}/cancel", "cancelJob", "Cancel a job.")
                            .says("A schedule stops, and executions that run are not touched. A job that runs once"
                                    + " has its execution cancelled.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.EXECUTION_NOT_CANCELLABLE),
                    route("GET /jobs/{id}/versions", "listJobVersions", "List the versions of a job, newest first.")
                            .fails(ErrorCode.JOB_NOT_FOUND),
                    route(
                                    "GET /jobs/{id}/executions",
                                    "listJobExecutions",
                                    "List the executions of a job, newest first.")
                            .fails(ErrorCode.JOB_NOT_FOUND),
                    route("GET /executions", "listExecutions", "List the executions of all jobs, newest first."),
                    route("POST /executions/bulk", "changeExecutions", "Retry or cancel many executions.")
                            .says("An operation does it in the background. A dry run answers a preview and changes"
                                    + " nothing.")
                            .takes("BulkRequest")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /operations", "listOperations", "List operations on many executions, newest first."),
                    route("GET /operations/{id}", "getOperation", "Get an operation and its progress.")
                            .fails(ErrorCode.OPERATION_NOT_FOUND),
                    route("POST /operations/{id}/cancel", "cancelOperation", "Cancel an operation.")
                            .fails(ErrorCode.OPERATION_NOT_FOUND, ErrorCode.CONFLICT),
                    route("GET /executions/{id}", "getExecution", "Get an execution.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND),
                    route("POST /executions/{id}/cancel", "cancelExecution", "Cancel an execution.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND, ErrorCode.EXECUTION_NOT_CANCELLABLE),
                    route(
                                    "GET /executions/{id}/attempts",
                                    "listAttempts",
                                    "List the attempts of an execution, first to last.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND),
                    route("GET /executions/{id}/logs", "listLogs", "List the log of an execution, first to last.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND),
                    route("POST /executions/{id}/retry", "retryExecution", "Retry an execution that has ended.")
                            .says("The retry is an execution of its own, with attempts of its own.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND, ErrorCode.CONFLICT),
                    route("GET /jobs/{id}/status", "getJobStatus", "Get the health and the statistics of a job.")
                            .fails(ErrorCode.JOB_NOT_FOUND),
                    route("POST /jobs/{id}/pause", "pauseJob", "Pause a schedule.")
                            .says("No tick fires until the given time, or until the schedule is resumed. The body"
                                    + " may be left out.")
                            .takes("PauseRequest")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /jobs/{id}/resume", "resumeJob", "Resume a schedule.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /jobs/{id}/trigger", "triggerJob", "Trigger a schedule now.")
                            .says("Creates one execution beside those of the ticks.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /jobs/{id}/backfill", "backfillJob", "Backfill past ticks of a schedule.")
                            .takes("BackfillRequest")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("GET /jobs/{id}/ticks", "listTicks", "List the ticks of a schedule, newest first.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("GET /jobs/{id}/gaps", "listGaps", "List the ticks that the ledger has no record of.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /schedules/preview", "previewSchedule", "Preview when a schedule fires.")
                            .takes("SchedulePreviewRequest")
                            .fails(ErrorCode.INVALID_CRON),
                    route("POST /keys", "createKey", "Create an API key.")
                            .says("The key itself is in this answer only.")
                            .takes("NewApiKey")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /keys", "listKeys", "List API keys, newest first."),
                    route("GET /keys/{id}", "getKey", "Get an API key without the key itself.")
                            .fails(ErrorCode.KEY_NOT_FOUND),
                    route("DELETE /keys/{id}", "revokeKey", "Revoke an API key.")
                            .fails(ErrorCode.KEY_NOT_FOUND),
                    route("GET /events", "followEvents", "Follow the events of executions.")
                            .says("A stream of server-sent events that does not end. Generated clients that read"
                                    + " whole answers cannot follow it: read it with a client for server-sent"
                                    + " events.")
                            .fails(ErrorCode.CONFLICT, ErrorCode.EVENTS_GONE),
                    route("GET /audit", "listAudit", "List changes and who made them, newest first."))
            .collect(Collectors.toUnmodifiableMap(Route::key, Function.identity()));

    /** Routes that answer 201, always or when the job is new. */
    public static final Set<String> CREATING = Set.of(
            "POST /payload-specs",
            "POST /configs",
            "POST /secrets",
            "POST /endpoints",
            "POST /jobs",
            "POST /jobs/{id}/trigger",
            "POST /keys",
            "POST /executions/bulk",
            "POST /executions/{id}/retry");

    /** Routes that answer with the entity tag of a resource. */
    public static final Set<String> TAGGED = Stream.of("payload-specs", "configs", "secrets", "endpoints")
            .flatMap(noun -> Stream.of("POST /" + noun, "GET /" + noun + "/{name}", "PUT /" + noun + "/{name}"))
            .collect(Collectors.toUnmodifiableSet());

    /** Routes whose body is optional. */
    public static final Set<String> BODY_IS_OPTIONAL = Set.of("POST /jobs/{id}/pause");

    /**
     * The facts about a route that its signature does not have.
     *
     * @param summary one sentence, as a command
     * @param description what the summary leaves open; null for nothing
     * @param body the schema of the request's body; null for none
     */
    public record Route(
            String key,
            String id,
            String summary,
            @Nullable String description,
            @Nullable String body,
            List<ErrorCode> codes) {
        Route says(String more) {
            return new Route(key, id, summary, more, body, codes);
        }

        Route takes(String schema) {
            return new Route(key, id, summary, description, schema, codes);
        }

        Route fails(ErrorCode... errors) {
            return new Route(key, id, summary, description, body, List.of(errors));
        }
    }

    private static Route route(String key, String id, String summary) {
        return new Route(key, id, summary, null, null, List.of());
    }
}
