package io.taskexec.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs so many attempts at a time; a result that waits to be recorded has no slot any more. A few more executions may
 * be claimed and wait, so that a slot that is freed need not wait for the next claim, and claims are few and large: as
 * many as lately ended within {@link CompletionRate#SPAN}, so none while calls are slow.
 */
final class Slots {
    /** The limit of waiting executions: as many as one claim returns. */
    static final int MOST_WAITING = 500;

    /** With more results that are not recorded, nothing is claimed. */
    private static final int MOST_RECORDING = 1_000;

    private final int size;
    private final int mostWaiting;
    private final Consumer<Lease> run;
    private final Deque<Lease> waiting = new ArrayDeque<>();
    private final CompletionRate pace = new CompletionRate(System.nanoTime());
    private int busy;
    private int recording;

    /** @param run begins an attempt soon, not at once; its end is told by {@link #ended}, then by {@link #recorded} */
    Slots(int size, int mostWaiting, Consumer<Lease> run) {
        this.size = size;
        this.mostWaiting = mostWaiting;
        this.run = run;
    }

    /** Returns the number of executions worth claiming. */
    synchronized int room() {
        return recording < MOST_RECORDING ? size + worthWaiting() - busy - waiting.size() : 0;
    }

    /** Whether so few wait that it is time for another claim. */
    synchronized boolean isLow() {
        return waiting.size() <= worthWaiting() / 2;
    }

    private int worthWaiting() {
        return Math.min(mostWaiting, pace.ended(System.nanoTime()));
    }

    /** Runs claimed executions in this order, as soon as there are slots. */
    void add(List<Lease> claimed) {
        synchronized (this) {
            waiting.addAll(claimed);
        }
        fill();
    }

    /** An attempt has ended, and its slot is free. */
    void ended() {
        synchronized (this) {
            busy--;
            recording++;
            pace.end(System.nanoTime());
        }
        fill();
    }

    /** The result of an attempt has been recorded, or never will be; returns whether there is room again for that. */
    synchronized boolean recorded() {
        return recording-- == MOST_RECORDING;
    }

    /** Takes those that have been claimed for at least so long and have not begun. */
    synchronized List<Lease> takeWaiting(Duration age) {
        var taken = waiting.stream()
                .filter(lease -> lease.age().compareTo(age) >= 0)
                .toList();
        waiting.removeAll(taken);
        return taken;
    }

    private void fill() {
        for (var next = next(); next != null; next = next()) {
            run.accept(next);
        }
    }

    private synchronized @Nullable Lease next() {
        if (busy == size || waiting.isEmpty()) {
            return null;
        }
        busy++;
        return waiting.remove();
    }
}
