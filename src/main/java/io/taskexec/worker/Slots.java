package io.taskexec.worker;

import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.worker.observe.CompletionRate;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs so many attempts at a time; a result that waits to be recorded has no slot any more. A few more executions may
 * be claimed and wait, so that a slot that is freed need not wait for the next claim, and claims are few and large: as
 * many as lately ended within {@link CompletionRate#SPAN}, so none while calls are slow.
 */
@Singleton
final class Slots {
    /** The limit of waiting executions: as many as one claim returns. */
    static final int MOST_WAITING = 500;

    /** With more results that are not recorded, nothing is claimed. */
    private static final int MOST_RECORDING = 1_000;

    private final int size;
    private final int mostWaiting;
    private final RunningLeases running;
    private final Runner runner;
    private final Deque<Lease> waiting = new ArrayDeque<>();
    private final LongSupplier nanos;
    private final CompletionRate pace;
    private volatile Runnable wake = () -> {};
    private volatile boolean awaited;
    private int busy;
    private int recording;

    /** Slots that are reserved for executions that are being created. */
    private int kept;

    /** Slots that are about to be free for what is claimed already. */
    private int givenUp;

    /** Runs attempts. */
    interface Runner {
        /**
         * Begins an attempt soon, not at once.
         *
         * @param ended called when the attempt has ended and only its result is left to be recorded
         * @param finished called afterwards, with whether the result was recorded
         */
        void run(Lease lease, Runnable ended, Consumer<Boolean> finished);
    }

    @Inject
    Slots(WorkerConfig config, RunningLeases running, AttemptRunner runner) {
        this(config.maxConcurrent(), MOST_WAITING, running, runner);
    }

    Slots(int size, int mostWaiting, RunningLeases running, Runner runner) {
        this(size, mostWaiting, running, runner, System::nanoTime);
    }

    /** @param nanos the monotonic clock */
    Slots(int size, int mostWaiting, RunningLeases running, Runner runner, LongSupplier nanos) {
        this.size = size;
        this.mostWaiting = mostWaiting;
        this.running = running;
        this.runner = runner;
        this.nanos = nanos;
        this.pace = new CompletionRate(nanos.getAsLong());
    }

    int size() {
        return size;
    }

    /** Returns the number of attempts that run now. */
    synchronized int used() {
        return busy;
    }

    /** The executions that are held here, as they are shown. */
    List<String> running() {
        return running.all().stream()
                .map(lease -> PublicId.EXECUTION.show(lease.claim().executionId()))
                .toList();
    }

    /** Aborts the call of an execution that runs here. */
    void cancel(UUID executionId) {
        running.all().stream()
                .filter(lease -> lease.claim().executionId().equals(executionId))
                .forEach(lease -> lease.cancel(new Outcome.LeaseLost()));
    }

    /** There may be something more to claim, though not because of room. */
    void wakePoller() {
        wake.run();
    }

    /** Passes the way to wake the poller when there is room again. */
    void onRoom(Runnable wakes) {
        wake = wakes;
    }

    /** Whether the poller waits for room: there was more to claim than it could take. */
    void await(boolean room) {
        awaited = room;
    }

    /** Whether a slot that is freed is worth a wake-up of the poller. */
    boolean isAwaited() {
        return awaited && isLow();
    }

    /** Returns the number of executions worth claiming. */
    synchronized int room() {
        return recording < MOST_RECORDING ? size + worthWaiting() - busy - waiting.size() - kept : 0;
    }

    /** Reserves a free slot until {@link #giveBack}; returns whether there is one. */
    synchronized boolean keep() {
        var isFree = busy + waiting.size() + kept < size && recording < MOST_RECORDING;
        kept += isFree ? 1 : 0;
        return isFree;
    }

    /** Ends the reservation of a slot. */
    synchronized void giveBack() {
        kept--;
    }

    synchronized boolean isKept() {
        return kept > 0;
    }

    /** Whether so few wait that it is time for another claim. */
    synchronized boolean isLow() {
        return waiting.size() <= worthWaiting() / 2;
    }

    private int worthWaiting() {
        return Math.min(mostWaiting, pace.ended(nanos.getAsLong()));
    }

    /** Runs claimed executions in this order, as soon as there are slots. */
    void add(List<Lease> claimed) {
        synchronized (this) {
            waiting.addAll(claimed);
        }
        fill();
    }

    /** Runs claimed executions before all that wait; returns how many slots must be given up for them. */
    int addFirst(List<Lease> claimed) {
        synchronized (this) {
            claimed.reversed().forEach(waiting::addFirst);
        }
        fill();
        synchronized (this) {
            var missing = Math.min(claimed.size(), waiting.size());
            givenUp += missing;
            return missing;
        }
    }

    /** Whether all slots are taken, also by what has been claimed and waits for one. */
    synchronized boolean isFull() {
        return busy == size && waiting.isEmpty();
    }

    /** An attempt has ended, and its slot is free. */
    void ended() {
        synchronized (this) {
            busy--;
            recording++;
            if (givenUp > 0) {
                // It says nothing about how soon another slot is free.
                givenUp--;
            } else {
                pace.end(nanos.getAsLong());
            }
        }
        fill();
        if (isAwaited()) {
            wake.run();
        }
    }

    /** The result of an attempt has been recorded, or never will be. */
    void finished(Lease lease, boolean isRecorded) {
        if (isRecorded) {
            running.remove(lease);
        } else {
            running.removeUnrecorded(lease);
        }
        if (recorded()) {
            wake.run();
        }
    }

    /** Returns whether there is room again for results. */
    private synchronized boolean recorded() {
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
            begin(next);
        }
    }

    private void begin(Lease lease) {
        runner.run(lease, this::ended, isRecorded -> finished(lease, isRecorded));
    }

    private synchronized @Nullable Lease next() {
        if (busy == size || waiting.isEmpty()) {
            return null;
        }
        busy++;
        return waiting.remove();
    }
}
