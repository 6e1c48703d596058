package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.apply.Step.Action;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares schedules. A job is found by the tag with its name, and the newest one with that tag counts: each change makes
 * a new version with an id of its own.
 */
final class JobPlanner {
    private final ServerClient client;
    private final Versions versions;

    /** The versions that endpoints will have. */
    @FunctionalInterface
    interface Versions {
        /** Null when there is no such endpoint. */
        @Nullable
        Integer of(String endpoint) throws RefusedException, IOException, InterruptedException;
    }

    JobPlanner(ServerClient client, Versions versions) {
        this.client = client;
        this.versions = versions;
    }

    /** The newest job that was applied with a name; null when there is none. */
    @Nullable
    JsonNode newest(String name) throws RefusedException, IOException, InterruptedException {
        var path = ServerPath.of(Kind.JOB.path()).with("tag", JobTag.of(name)).with("limit", "1");
        return client.get(path.toString()).path("items").get(0);
    }

    static boolean isActive(JsonNode job) {
        return job.path("status").asText().equals("ACTIVE");
    }

    Step step(Declared one, List<String> impossible) throws RefusedException, IOException, InterruptedException {
        var job = newest(one.name());
        if (job == null) {
            return create(one);
        }
        var after = one.kind().normal(one.fields());
        var before = one.kind().normal(job);
        if (!one.fields().has("starts_at")) {
            // The moment of its creation, which no file knows.
            before.remove("starts_at");
        }
        var difference = new ArrayList<>(Difference.between(before, after));
        if (!isActive(job)) {
            return difference.isEmpty() && hasEnded(job) ? Planner.keep(one, "it has ended") : create(one);
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
        var current = versions.of(one.fields().path("endpoint").asText());
        var used = job.path("endpoint_version").asInt();
        if (current != null && current > used) {
            difference.addAll(Difference.ofVersion(used, current));
        }
        return difference.isEmpty()
                ? Planner.keep(one, "")
                : new Step(
                        Action.CHANGE,
                        one.identity(),
                        Kind.JOB.path() + "/" + job.path("job_id").asText(),
                        one.fields(),
                        job,
                        null,
                        difference,
                        "",
                        one.document());
    }

    private static Step create(Declared one) {
        return new Step(
                Action.CREATE,
                one.identity(),
                Kind.JOB.path(),
                one.fields(),
                JsonNodeFactory.instance.objectNode(),
                null,
                Difference.appearing(one.kind().normal(one.fields())),
                "",
                one.document());
    }

    /** By itself, so that nobody wants it again; one that was cancelled is. */
    private static boolean hasEnded(JsonNode job) {
        var fires = job.path("max_fires");
        var end = job.path("ends_at");
        return (fires.isNumber() && job.path("fires").asLong() >= fires.asLong())
                || (end.isTextual()
                        && !OffsetDateTime.parse(end.asText()).toInstant().isAfter(Instant.now()));
    }
}
