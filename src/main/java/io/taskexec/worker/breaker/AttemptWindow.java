package io.taskexec.worker.breaker;

import java.time.Duration;
import java.util.Arrays;

/** Counts how attempts ended within a sliding window of time, in steps of a tenth of it. Not for several threads. */
final class AttemptWindow {
    private static final int STEPS = 10;

    private final long stepNanos;
    private final int[] attempts = new int[STEPS];
    private final int[] failures = new int[STEPS];
    private long lastStep;
    private boolean isNew = true;

    AttemptWindow(Duration length) {
        this.stepNanos = length.toNanos() / STEPS;
    }

    /** @param now as {@link System#nanoTime} gives it */
    void add(boolean failed, long now) {
        move(now);
        var step = (int) Math.floorMod(lastStep, (long) STEPS);
        attempts[step]++;
        if (failed) {
            failures[step]++;
        }
    }

    private void move(long now) {
        var step = Math.floorDiv(now, stepNanos);
        if (isNew) {
            isNew = false;
            lastStep = step;
        }
        var passed = Math.min(step - lastStep, STEPS);
        for (var i = 1; i <= passed; i++) {
            var cleared = (int) Math.floorMod(step - passed + i, (long) STEPS);
            attempts[cleared] = 0;
            failures[cleared] = 0;
        }
        lastStep = Math.max(step, lastStep);
    }

    int attempts() {
        return Arrays.stream(attempts).sum();
    }

    int failures() {
        return Arrays.stream(failures).sum();
    }
}
