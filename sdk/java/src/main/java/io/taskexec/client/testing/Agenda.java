package io.taskexec.client.testing;

import io.taskexec.client.Query;
import io.taskexec.client.Taskexec;
import io.taskexec.client.model.Execution;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The work of a server.
 *
 * @param isBusy whether something is due or runs
 * @param next when more of the work of workers becomes due; null when nothing will
 */
record Agenda(boolean isBusy, @Nullable Instant next) {
    /** Workers run their executions, or those of their jobs. The server waits for all others by itself. */
    private static final Set<String> OF_WORKERS = Set.of("WORKER", "WORKFLOW");

    static Agenda of(Taskexec client, Instant now) {
        var times = times(client).toList();
        return new Agenda(
                isUnderWay(client) || times.stream().anyMatch(time -> !time.isAfter(now)),
                times.stream()
                        .filter(time -> time.isAfter(now))
                        .min(Instant::compareTo)
                        .orElse(null));
    }

    /** A run of a workflow is under way for as long as its jobs wait. */
    private static boolean isUnderWay(Taskexec client) {
        return executions(client, "QUEUED", "RUNNING")
                .anyMatch(execution -> !execution.endpointType().equals("WORKFLOW"));
    }

    private static Stream<Instant> times(Taskexec client) {
        var attempts = executions(client, "PENDING", "RETRYING")
                .filter(execution -> OF_WORKERS.contains(execution.endpointType()))
                .map(execution -> execution.nextAttemptAt() == null ? execution.runAt() : execution.nextAttemptAt());
        var deferred = executions(client, "DEFERRED")
                .filter(execution -> OF_WORKERS.contains(execution.endpointType()))
                .flatMap(execution -> Stream.ofNullable(execution.deferral()))
                .map(deferral -> Instant.parse(deferral.path("deadline").asText()));
        var ticks = Stream.of("CRON", "INTERVAL")
                .flatMap(trigger ->
                        client.jobs().list(Query.where("trigger", trigger).and("status", "ACTIVE")).stream())
                .filter(job -> OF_WORKERS.contains(job.endpointType()))
                .flatMap(job -> Stream.ofNullable(job.nextRunAt()));
        return Stream.of(attempts, deferred, ticks).flatMap(times -> times);
    }

    private static Stream<Execution> executions(Taskexec client, String... statuses) {
        return List.of(statuses).stream()
                .flatMap(status -> client.executions().list(Query.where("status", status)).stream());
    }
}
