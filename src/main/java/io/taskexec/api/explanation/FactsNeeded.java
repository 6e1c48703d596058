package io.taskexec.api.explanation;

import static io.taskexec.model.queue.QueueDetails.SLOW_START;

import io.taskexec.store.explanation.LiveState;
import io.taskexec.store.sql.Lanes;
import java.time.Duration;

/** Tells by the state of an execution what else is to be read. */
record FactsNeeded(LiveState state) {
    private static final Duration PULL_SILENCE = Duration.ofSeconds(90);

    /** Whether a worker has it. */
    boolean isHeld() {
        return state.isLeased() && !state.isDue();
    }

    /** Whether it could begin, as far as its own time and its parents are concerned. */
    boolean isReady() {
        var key = state.key();
        return !isHeld()
                && !state.isWaiting()
                && !state.isDeferred()
                && (state.isDue() || state.isPutOff() || (key != null && key.isParked()));
    }

    boolean whoPaused() {
        return state.queue().pausedAt() != null;
    }

    /** Whether it is for pull workers and none has asked lately: each asks at least once a minute. */
    boolean noPullWorker() {
        var askedAt = state.queue().askedAt();
        return askedAt == null || askedAt.isBefore(state.at().minus(PULL_SILENCE));
    }

    /** Whether the workers hold its priority back. */
    boolean pressure() {
        return isReady() && state.fleet().workers() > 0 && state.fleet().leastUrgent() < Lanes.priority(state.lane());
    }

    boolean lastAttempt() {
        return !isHeld() && !state.isDue() && !state.isDeferred() && state.attempt() > 0;
    }

    boolean lane() {
        return isReady() && state.isDue();
    }

    boolean line() {
        var key = state.key();
        return key != null && key.isParked();
    }

    /** Whether the places of its flow key are taken. */
    boolean keyHolders() {
        var key = state.key();
        var limit = key == null ? null : key.limit();
        return key != null && limit != null && isReady() && key.needsPlace() && key.open() >= limit;
    }

    boolean queueHolders() {
        return isReady() && (state.queue().cap() != null || startsSlowly());
    }

    /** Whether its queue was paused a moment ago. */
    boolean startsSlowly() {
        var resumedAt = state.queue().resumedAt();
        return state.queue().pausedAt() == null
                && resumedAt != null
                && state.at().isBefore(resumedAt.plus(SLOW_START));
    }
}
