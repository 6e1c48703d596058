package io.taskexec.store.explanation;

import io.taskexec.model.job.ExecutionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An execution that has not ended, and what it depends on, at one moment.
 *
 * @param at the moment, by the clock of the database
 * @param visibleAt when it is due, or its lease ends; null while it waits for others
 * @param isDue whether a worker may claim it
 * @param isLeased whether a worker has claimed it; if it is due as well, that worker has lost it
 * @param startedAt when the last attempt began; null after one that was handed back
 * @param rescues how many workers were lost over it
 * @param triggerRule the number of the rule by which it waits for others; null for an execution that does not
 * @param expiresAt when it expires unless an attempt begins; null for never
 */
public record LiveState(
        Instant at,
        ExecutionStatus status,
        int lane,
        Instant runAt,
        @Nullable Instant visibleAt,
        boolean isDue,
        boolean isLeased,
        boolean isDeferred,
        int attempt,
        @Nullable Instant startedAt,
        int rescues,
        @Nullable Integer triggerRule,
        @Nullable Instant expiresAt,
        @Nullable Owner owner,
        QueueState queue,
        Fleet fleet,
        @Nullable KeyState key) {

    /**
     * The worker of a lease.
     *
     * @param host null when the worker is not registered any more
     * @param lastSeenAt its last heartbeat, likewise
     * @param isHeardOf whether that is recent
     */
    public record Owner(
            UUID id, @Nullable String host, @Nullable Instant lastSeenAt, boolean isHeardOf) {}

    /**
     * The queue that it waits in.
     *
     * @param pausedAt null when it runs
     * @param pausedUntil null when the pause has no end
     * @param resumedAt the end of the last pause; null when there was none
     * @param cap executions that may run at once; null for any number
     * @param tokenAt when its rate lets the next execution begin; null without a rate
     * @param isPulled whether it is the queue of a WORKER endpoint
     * @param askedAt when a pull worker last asked for executions of it, within some seconds; null for never
     */
    public record QueueState(
            String name,
            @Nullable Instant pausedAt,
            @Nullable Instant pausedUntil,
            @Nullable String pauseReason,
            @Nullable Instant resumedAt,
            @Nullable Integer cap,
            @Nullable Instant tokenAt,
            boolean isPulled,
            @Nullable Instant askedAt) {}

    /**
     * The workers that were heard of lately and do the work of its region.
     *
     * @param adoptedBy the region that does this work in its place; null while it does it itself
     * @param slots of all of them
     * @param freeSlots as they told with their last heartbeats
     * @param leastUrgent the lowest priority that one of them starts, as a number
     */
    public record Fleet(
            String region, @Nullable String adoptedBy, int workers, int slots, int freeSlots, int leastUrgent) {}

    /**
     * Its flow key.
     *
     * @param state of the execution: 0 free, 1 parked, 2 holds a place, 3 waits for its parents
     * @param open executions that hold a place
     * @param cap the limit of the endpoint; null for none
     * @param adaptiveLimit the limit that workers have found out; null for none
     * @param tokenAt when its rate lets the next execution begin; null without a rate
     * @param spacing the time from one to the next, likewise
     */
    public record KeyState(
            long id,
            String name,
            int state,
            int open,
            @Nullable Integer cap,
            @Nullable Integer adaptiveLimit,
            @Nullable Instant tokenAt,
            @Nullable Duration spacing) {
        /** Whether it waits in the line of its key. */
        public boolean isParked() {
            return state == 1;
        }

        /** Whether it needs a place. */
        public boolean needsPlace() {
            return state < 2;
        }

        /** Executions that may hold a place; null for any number. */
        public @Nullable Integer limit() {
            return cap == null || (adaptiveLimit != null && adaptiveLimit < cap) ? adaptiveLimit : cap;
        }
    }

    /** Whether it waits for others. */
    public boolean isWaiting() {
        return triggerRule != null;
    }

    /** Whether its run time has come. */
    public boolean hasRunTime() {
        return !runAt.isAfter(at);
    }

    /** Whether it has expired, and will be ended. */
    public boolean isExpired() {
        return expiresAt != null && !expiresAt.isAfter(at) && !isDeferred;
    }

    /** Whether a worker has claimed it and put it off before an attempt began. */
    public boolean isPutOff() {
        return visibleAt != null
                && !isDue
                && !isLeased
                && !isDeferred
                && hasRunTime()
                && (attempt == 0 || startedAt == null);
    }
}
