package io.taskexec.store.metrics;

import io.micrometer.core.instrument.Counter;
import io.taskexec.observe.metrics.Meters;
import io.vertx.pgclient.PgException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what this process has changed in the database, once for each statement: jobs created, executions ended,
 * attempts preempted, and tries that failed and may work later.
 */
public final class StoreMetrics {
    /** Seen from the start, so that the first one is an increase; other codes are seen when they occur. */
    private static final List<String> USUAL_CODES =
            List.of("40001", "40P01", "55P03", "57014", "connection", "timeout");

    private final Meters meters;
    private final ClaimMetrics claims;
    private final FlowMetrics flow;
    private final WorkflowMetrics workflows;
    private final WaitMetrics waits;
    private final Counter created;
    private final Counter succeeded;
    private final Counter failed;
    private final Counter cancelled;
    private final Counter preempted;
    private final LongAdder createdInAll = new LongAdder();
    private final LongAdder endedInAll = new LongAdder();
    private final Counter expired;
    private final Counter skipped;
    private final Counter superseded;
    private final Counter expiredUnbegun;
    private final Counter expiredRetries;
    private final Map<String, Counter> retries = new ConcurrentHashMap<>();

    public StoreMetrics(Meters meters) {
        this.meters = meters;
        claims = new ClaimMetrics(meters);
        flow = new FlowMetrics(meters);
        workflows = new WorkflowMetrics(meters);
        waits = new WaitMetrics(meters);
        created = meters.counter("taskexec.jobs.created", "Jobs that were created");
        succeeded = ended(meters, "success");
        failed = ended(meters, "failed");
        cancelled = ended(meters, "cancelled");
        expired = ended(meters, "expired");
        skipped = ended(meters, "skipped");
        superseded = ended(meters, "superseded");
        expiredUnbegun = expired(meters, "first_attempt");
        expiredRetries = expired(meters, "retry");
        preempted =
                meters.counter("taskexec.preempted", "Attempts that gave up their slots to executions of priority 0");
        USUAL_CODES.forEach(code -> {
            var _ = retries(code);
        });
    }

    private static Counter ended(Meters meters, String outcome) {
        return meters.counter("taskexec.executions", "Executions that have ended", "outcome", outcome);
    }

    private static Counter expired(Meters meters, String before) {
        return meters.counter(
                "taskexec.expired", "Executions that expired before their first attempt or a retry", "before", before);
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

    /** Those of workflows. */
    public WorkflowMetrics workflows() {
        return workflows;
    }

    /** Those of deferred executions. */
    public WaitMetrics waits() {
        return waits;
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
        createdInAll.add(jobs);
    }

    /** Schedules have created executions. */
    public void fired(int executions) {
        createdInAll.add(executions);
    }

    /** The number of executions created since the start, without retries, also while nothing is measured. */
    public long createdInAll() {
        return createdInAll.sum();
    }

    public void ended(int successes, int failures) {
        succeeded.increment(successes);
        failed.increment(failures);
        endedInAll.add(successes + (long) failures);
    }

    /** The number of executions that have ended since the start, also while nothing is measured. */
    public long endedInAll() {
        return endedInAll.sum();
    }

    public void cancelled(int executions) {
        cancelled.increment(executions);
    }

    /**
     * Executions have expired.
     *
     * @param unbegun those of which no attempt had begun
     * @param begun those which waited for another attempt
     */
    public void expired(int unbegun, int begun) {
        expired.increment((double) unbegun + begun);
        expiredUnbegun.increment(unbegun);
        expiredRetries.increment(begun);
    }

    /** Executions were skipped, since their trigger rules cannot hold. */
    public void skipped(int executions) {
        skipped.increment(executions);
    }

    /** Other jobs took their keys before they began. */
    public void superseded(int executions) {
        superseded.increment(executions);
    }

    public void preempted(int attempts) {
        preempted.increment(attempts);
    }

    /**
     * A try has failed with {@link DatabaseOutage#isTransient}; the states that this knows bound the number of codes.
     */
    public void transientFailure(Throwable failure) {
        retries(code(failure)).increment();
    }

    private static String code(Throwable failure) {
        if (failure instanceof PgException e) {
            return e.getSqlState();
        }
        return failure instanceof TimeoutException ? "timeout" : "connection";
    }
}
