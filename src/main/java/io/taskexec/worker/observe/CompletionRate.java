package io.taskexec.worker.observe;

import java.time.Duration;

/** Counts the executions that end within a span of time, by whole spans. Used under a lock. */
public final class CompletionRate {
    /** The span. */
    public static final Duration SPAN = Duration.ofMillis(25);

    private long spanBegan;
    private int endedBefore;
    private int endedNow;

    /** @param now as {@link System#nanoTime} gives it */
    public CompletionRate(long now) {
        this.spanBegan = now;
    }

    /** One has ended. */
    public void end(long now) {
        turn(now);
        endedNow++;
    }

    /** Those of the last whole span, or of the present one when that has more already. */
    public int ended(long now) {
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
