package io.taskexec.worker;

import java.time.Duration;

/** Counts the executions that end within a span of time, by whole spans. Used under a lock. */
final class CompletionRate {
    static final Duration SPAN = Duration.ofMillis(100);

    private long spanBegan;
    private int endedBefore;
    private int endedNow;

    CompletionRate(long now) {
        this.spanBegan = now;
    }

    void end(long now) {
        turn(now);
        endedNow++;
    }

    /** Those of the last whole span, or of the present one when that has more already. */
    int ended(long now) {
        turn(now);
        return Math.max(endedBefore, endedNow);
    }

    private void turn(long now) {
        var spans = (now - spanBegan) / SPAN.toNanos();
        if (spans > 0) {
            endedBefore = spans == 1 ? endedNow : 0;
            endedNow = 0;
            spanBegan = now;
        }
    }
}
