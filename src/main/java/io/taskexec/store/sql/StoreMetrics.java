package io.taskexec.store.sql;

import io.micrometer.core.instrument.Counter;
import io.taskexec.observe.metrics.Meters;
import io.vertx.pgclient.PgException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

/**
 * Counts what this process has changed in the database, once for each statement: jobs created, executions ended,
 * attempts preempted, and tries that failed and may work later.
 */
public final class StoreMetrics {
    /** Seen from the start, so that the first one is an increase; other codes are seen when they occur. */
    private static final List<String> USUAL_CODES = List.of("40001", "40P01", "57014", "connection", "timeout");

    private final Meters meters;
    private final ClaimMetrics claims;
    private final FlowMetrics flow;
    private final Counter created;
    private final Counter succeeded;
    private final Counter failed;
    private final Counter cancelled;
    private final Counter preempted;
    private final Map<String, Counter> retries = new ConcurrentHashMap<>();

    StoreMetrics(Meters meters) {
        this.meters = meters;
        claims = new ClaimMetrics(meters);
        flow = new FlowMetrics(meters);
        created = meters.counter("taskexec.jobs.created", "Jobs that were created");
        succeeded = ended(meters, "success");
        failed = ended(meters, "failed");
        cancelled = ended(meters, "cancelled");
        preempted =
                meters.counter("taskexec.preempted", "Attempts that gave up their slots to executions of priority 0");
        USUAL_CODES.forEach(code -> {
            var _ = retries(code);
        });
    }

    private static Counter ended(Meters meters, String outcome) {
        return meters.counter("taskexec.executions", "Executions that have ended", "outcome", outcome);
    }

    private Counter retries(String code) {
        return retries.computeIfAbsent(
                code,
                one -> meters.counter(
                        "taskexec.db.retries",
                        "Tries of a statement or a transaction that failed and may work another time",
                        "code",
                        one));
    }

    public boolean areOn() {
        return meters.areOn();
    }

    public ClaimMetrics claims() {
        return claims;
    }

    public FlowMetrics flow() {
        return flow;
    }

    public void created(long jobs) {
        created.increment((double) jobs);
    }

    public void ended(int successes, int failures) {
        succeeded.increment(successes);
        failed.increment(failures);
    }

    public void cancelled(int executions) {
        cancelled.increment(executions);
    }

    public void preempted(int attempts) {
        preempted.increment(attempts);
    }

    /**
     * A try has failed with {@link DatabaseOutage#isTransient}; the states that this knows bound the number of codes.
     */
    void transientFailure(Throwable failure) {
        retries(code(failure)).increment();
    }

    private static String code(Throwable failure) {
        if (failure instanceof PgException e) {
            return e.getSqlState();
        }
        return failure instanceof TimeoutException ? "timeout" : "connection";
    }
}
