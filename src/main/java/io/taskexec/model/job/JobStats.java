package io.taskexec.model.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of the executions of a job: outcomes and durations of the last attempts.
 *
 * @param slots in the order of their buckets
 */
public record JobStats(List<Slot> slots) {
    private static final double BUCKETS_PER_E = 10;
    private static final double DEGRADED = 0.1;
    private static final double FAILING = 0.5;
    private static final String EXPIRED = "EXPIRED";

    /**
     * Executions that ended in the same way after about the same time.
     *
     * @param bucket holds durations of at most e^(bucket / 10) - 1 milliseconds
     * @param totalMs of all of them
     */
    public record Slot(String status, int bucket, long count, long totalMs) {}

    /** The health of a job, derived from the numbers. */
    public enum Health {
        /** Less than a tenth failed. */
        HEALTHY,
        /** A tenth or more failed. */
        DEGRADED,
        /** Half or more failed. */
        FAILING,
        /** Nothing ended. */
        IDLE
    }

    /** All that ended with an attempt; what was cancelled or expired says nothing about the receiver. */
    public long total() {
        return succeeded() + failed();
    }

    public long succeeded() {
        return count("SUCCESS");
    }

    public long failed() {
        return count("FAILED");
    }

    /** Those that were not begun in time. */
    public long expired() {
        return count(EXPIRED);
    }

    /** What has a duration. */
    private List<Slot> timed() {
        return slots.stream().filter(slot -> !slot.status().equals(EXPIRED)).toList();
    }

    private long count(String status) {
        return slots.stream()
                .filter(slot -> slot.status().equals(status))
                .mapToLong(Slot::count)
                .sum();
    }

    public Health health() {
        var total = total();
        if (total == 0) {
            return Health.IDLE;
        }
        var share = (double) failed() / total;
        return share >= FAILING ? Health.FAILING : share >= DEGRADED ? Health.DEGRADED : Health.HEALTHY;
    }

    /** The mean duration in milliseconds, null when nothing ended. */
    public @Nullable Long averageMs() {
        var counted = timed().stream().mapToLong(Slot::count).sum();
        return counted == 0 ? null : timed().stream().mapToLong(Slot::totalMs).sum() / counted;
    }

    /**
     * The duration that a share of all stays within, in milliseconds and up to a tenth too high; null when nothing
     * ended.
     *
     * @param share from 0 to 1
     */
    public @Nullable Long percentileMs(double share) {
        var timed = timed();
        var rank = Math.ceil(timed.stream().mapToLong(Slot::count).sum() * share);
        var seen = 0L;
        for (var slot : timed) {
            seen += slot.count();
            if (seen >= rank) {
                return Math.round(Math.exp(slot.bucket() / BUCKETS_PER_E) - 1);
            }
        }
        return null;
    }
}
