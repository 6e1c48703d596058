package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerClient.Response;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.queue.Queue;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares schedules. A job is found by the tag with its name. The newest one with that tag counts, since each change
 * creates a new version with its own id.
 */
final class JobPlanner {
    static final String TAG_PREFIX = "applied:";

    private final ServerClient client;
    private final Endpoints endpoints;

    /** The endpoint of a job, as it will be. */
    record Target(int version, String queue) {
        static Target of(int version, String name, JsonNode fields) {
            var isPulled = EndpointType.WORKER.name().equals(fields.path("type").asText());
            var usual = isPulled ? Queue.ofWorkers(name) : Queue.DEFAULT.name();
            return new Target(version, fields.path("queue").asText(usual));
        }
    }

    /** Finds endpoints as they will be. */
    @FunctionalInterface
    interface Endpoints {
        /** Returns null when there is no such endpoint. */
        @Nullable
        Target of(String endpoint) throws IOException, InterruptedException;
    }

    JobPlanner(ServerClient client, Endpoints endpoints) {
        this.client = client;
        this.endpoints = endpoints;
    }

    /** Returns the newest job that was applied with a name, or null. */
    @Nullable
    JsonNode newest(String name) throws IOException, InterruptedException {
        var path = ServerPath.of(ResourceKind.JOB.path())
                .with("tag", TAG_PREFIX + name)
                .with("limit", "1");
        return client.get(path.toString()).path("items").get(0);
    }

    static boolean isActive(JsonNode job) {
        return job.path("status").asText().equals("ACTIVE");
    }

    PlanStep step(DesiredResource one, List<String> impossible) throws IOException, InterruptedException {
        var job = newest(one.name());
        if (job == null) {
            return create(one, "new");
        }
        var after = one.kind().normal(one.fields());
        var before = one.kind().normal(job);
        if (!one.fields().has("starts_at")) {
            // The default is the time of creation, which no file knows.
            before.remove("starts_at");
        }
        var target = endpoints.of(one.fields().path("endpoint").asText());
        if (!after.has("queue")) {
            after.put("queue", target == null ? before.path("queue").asText() : target.queue());
        }
        var difference = new ArrayList<>(FieldDiff.between(before, after));
        if (!isActive(job)) {
            return difference.isEmpty() && hasEnded(job)
                    ? PlanStep.keep(one, "it has ended")
                    : create(one, job.path("job_id").asText());
        }
        for (var field : List.of("endpoint", "trigger")) {
            if (!before.path(field).equals(after.path(field))) {
                impossible.add("%s: The %s of %s cannot change from %s; give the job another name."
                        .formatted(
                                one.document().at("/" + field),
                                field,
                                one.identity(),
                                before.path(field).asText()));
            }
        }
        var used = job.path("endpoint_version").asInt();
        if (target != null && target.version() > used) {
            difference.addAll(FieldDiff.ofVersion(used, target.version()));
        }
        return difference.isEmpty()
                ? PlanStep.keep(one, "")
                : PlanStep.change(
                        one,
                        ResourceKind.JOB.path() + "/" + job.path("job_id").asText(),
                        new Response(job, null),
                        difference);
    }

    /**
     * Creates a schedule once, however many do it at the same time.
     *
     * @param after the job with the name that is not in force any more
     */
    private static PlanStep create(DesiredResource one, String after) {
        var body = one.fields().deepCopy().put("idempotency_key", TAG_PREFIX + one.name() + ":" + after);
        return PlanStep.create(one, body, FieldDiff.appearing(one.kind().normal(one.fields())));
    }

    /** A schedule that reached its end is not created again; a cancelled one is. */
    private static boolean hasEnded(JsonNode job) {
        var fires = job.path("max_fires");
        var end = job.path("ends_at");
        return (fires.isNumber() && job.path("fires").asLong() >= fires.asLong())
                || (end.isTextual()
                        && !OffsetDateTime.parse(end.asText()).toInstant().isAfter(Instant.now()));
    }
}
