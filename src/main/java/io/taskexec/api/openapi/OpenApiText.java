package io.taskexec.api.openapi;

import java.util.List;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.servers.Server;
import org.eclipse.microprofile.openapi.models.tags.Tag;

/** The prose of the OpenAPI document: its introduction, and what its tags and servers are. */
final class OpenApiText {
    /** In CommonMark. */
    static final String INTRODUCTION = """
            taskexec is a durable task executor: `setTimeout` and `setInterval` as a service. Register an endpoint \
            (an HTTP URL, a Kafka topic, a Redis stream, a question to people, or work that pull workers fetch), or \
            give a job a target. Jobs deliver to it now, later or on a schedule.

            **Authentication.** Send `Authorization: Bearer <key>` with each request. A key has scopes: `read`, \
            `jobs`, `adhoc`, `work` or `admin`.

            **Bodies.** JSON in UTF-8, at most 1 MiB. An unknown field is an error. An optional field that is `null` \
            counts as left out; so does an empty list where one must not be empty. Times are ISO 8601 with an offset, \
            durations are ISO 8601, such as `PT15M`. A field of an answer that has no value is left out.

            **Errors.** Every error is an `ErrorResponse`: `code` is for programs, `message` is for people, \
            `request_id` finds the request in the log, and `details` point at fields. 429 and 503 say in \
            `Retry-After` how many seconds to wait.

            **Lists.** A list takes `limit` (1 to 200, default 50) and `cursor`. Pass the `cursor` of a page on to get \
            the next one; it is `null` on the last page.

            **Idempotency.** A job that runs once needs an idempotency key, as the field `idempotency_key` or the \
            header `Idempotency-Key`. The same request with the same key answers 200 with the job that exists; another \
            request with that key answers 422.

            **Concurrent changes.** Payload specs, configs, secrets, queues, endpoints and workflow definitions have \
            an `ETag`. Send it as `If-Match` with a PUT or DELETE to change only what you have read; otherwise the \
            answer is 412. A job has one for PATCH.

            **Versions.** A new version of the program may add routes, optional fields and error codes. The changelog \
            names whatever needs more of a client than to ignore what it does not know.
            """.strip();

    private OpenApiText() {}

    static List<Tag> tags() {
        return List.of(
                tag("Payload specs", "JSON Schemas that the inputs of jobs must match."),
                tag("Configs", "Values that the templates of endpoints use as `{{config.*}}`."),
                tag("Secrets", "Values that templates use as `{{secret.*}}`. They are encrypted and never returned."),
                tag("Queues", "Lines of executions: their shares, their aging and their pauses."),
                tag("Dev", "The virtual clock of `taskexec dev --virtual-clock`."),
                tag("Endpoints", "What jobs deliver to: URLs, topics, streams, people and pull workers."),
                tag("Jobs", "What is delivered and when: once now, once later, or again and again on a schedule."),
                tag("Schedules", "Try a schedule before a job uses it."),
                tag("Workflows", "Runs of graphs of jobs that depend on each other."),
                tag("Workflow definitions", "Named graphs, which runs and schedules refer to."),
                tag("Executions", "Each firing of a job, with its attempts and its log."),
                tag("Callbacks", "Where receivers say later how a delivery ends."),
                tag("Approvals", "Questions that executions ask people, and their decisions."),
                tag("Leases", "What pull workers ask for, and what they say of it."),
                tag("Operations", "Changes to many executions at once, and their progress."),
                tag("Events", "A live stream of what happens to executions."),
                tag("Pressure", "What holds less urgent work back, and signals of it from outside."),
                tag("Overview", "What waits, who works, and which receivers are busy, in one snapshot."),
                tag("Forecast", "What starts when, against caps and rates, and how schedules could be spread."),
                tag("Keys", "API keys and their scopes."),
                tag("Audit", "Who changed what, and when."));
    }

    /**
     * The first one is what clients call when they are told no other; the second what a browser calls that has the
     * page.
     */
    static List<Server> servers() {
        return List.of(
                OASFactory.createServer()
                        .url("{scheme}://{host}:{port}")
                        .description("A server of your own; the defaults are those of `taskexec dev`.")
                        .addVariable(
                                "scheme",
                                OASFactory.createServerVariable()
                                        .addEnumeration("http")
                                        .addEnumeration("https")
                                        .defaultValue("http"))
                        .addVariable("host", OASFactory.createServerVariable().defaultValue("127.0.0.1"))
                        .addVariable("port", OASFactory.createServerVariable().defaultValue("8080")),
                OASFactory.createServer().url("/").description("The server that this document comes from."));
    }

    private static Tag tag(String name, String description) {
        return OASFactory.createTag().name(name).description(description);
    }
}
