package io.taskexec.worker.observe;

import io.taskexec.model.activity.WorkerActivity;
import io.taskexec.store.sql.Database;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.LongSupplier;

/** Puts together what this worker tells of itself with a heartbeat. */
@Singleton
public final class ActivityReport {
    private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();

    private final RecentAttempts attempts;
    private final LongSupplier ended;
    private final LongSupplier nanos;

    /** The total of ended executions at each report of the last minute, and at the one before. */
    private final Deque<Total> totals = new ArrayDeque<>();

    private record Total(long at, long ended) {}

    @Inject
    public ActivityReport(RecentAttempts attempts, Database database) {
        this(attempts, database.metrics()::endedInAll, System::nanoTime);
    }

    /**
     * @param ended the executions that have ended here since the start
     * @param nanos the monotonic clock
     */
    ActivityReport(RecentAttempts attempts, LongSupplier ended, LongSupplier nanos) {
        this.attempts = attempts;
        this.ended = ended;
        this.nanos = nanos;
        totals.add(new Total(nanos.getAsLong(), ended.getAsLong()));
    }

    /**
     * The state of now. Never called twice at the same time.
     *
     * @param leastUrgent the lowest priority that may start, as a number
     * @param running the calls under way by endpoint
     */
    public WorkerActivity now(int slots, int usedSlots, int leastUrgent, Map<String, Integer> running) {
        return new WorkerActivity(
                slots, usedSlots, endedLately(), leastUrgent, attempts.busiest(running, WorkerActivity.MAX_ENDPOINTS));
    }

    private long endedLately() {
        var now = new Total(nanos.getAsLong(), ended.getAsLong());
        totals.add(now);
        while (now.at() - totals.getFirst().at() > WINDOW_NANOS) {
            var _ = totals.removeFirst();
        }
        return now.ended() - totals.getFirst().ended();
    }
}
