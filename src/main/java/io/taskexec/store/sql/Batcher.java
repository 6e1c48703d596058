package io.taskexec.store.sql;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.model.TaskProgress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Natural batching: while as many statements are in flight as may be, what arrives is gathered and goes with the next
 * one. There is no timer, so a lone caller is not delayed; under load a batch grows by itself to what one round trip
 * lets through.
 *
 * <p>Items go out in the order in which they came. When a batch fails because of its data, it is halved until the bad
 * item stands alone, so that only its own caller sees the failure. When it fails because the database is unavailable,
 * those that wait fail with it.
 *
 * @param <I> what a caller submits
 * @param <O> what it gets back
 */
public final class Batcher<I, O> {
    /** A failure that nothing has followed for so long says no more: there may be nothing to send for hours. */
    private static final Duration QUIET = Duration.ofSeconds(10);

    private final String name;
    private final Limits limits;
    private final Predicate<Throwable> blamesItem;
    private final Function<List<I>, Uni<List<O>>> statement;
    private final LongSupplier nanos;
    private final Queue<Waiting<I, O>> waiting = new ArrayDeque<>();
    private int inFlight;

    // By the monotonic clock: when a statement last began or ended, when one last succeeded, since when all have
    // failed.
    private long movedAt;
    private @Nullable Long succeededAt;
    private @Nullable Long failingSince;

    /**
     * Bounds of a batcher.
     *
     * @param batch items in one statement
     * @param waiting items that may wait; one more is refused
     * @param inFlight statements at the same time; with more than one, batches may overtake each other
     * @param inFlightFull the same while those that wait fill a batch; at least {@code inFlight}
     */
    public record Limits(int batch, int waiting, int inFlight, int inFlightFull) {
        public Limits(int batch, int waiting, int inFlight) {
            this(batch, waiting, inFlight, inFlight);
        }

        private int inFlight(int waitingNow) {
            return waitingNow < batch ? inFlight : inFlightFull;
        }
    }

    /**
     * @param name says in messages what is full
     * @param statement gets 1 to {@code batch} items and returns as many results in the same order; must be safe to run
     *     again with part of the items after a failure
     */
    public Batcher(String name, Limits limits, Function<List<I>, Uni<List<O>>> statement) {
        this(name, limits, Database::blamesData, statement);
    }

    /** @param blamesItem whether a failure of the statement is the fault of an item in it, not of the database */
    Batcher(String name, Limits limits, Predicate<Throwable> blamesItem, Function<List<I>, Uni<List<O>>> statement) {
        this(name, limits, blamesItem, statement, System::nanoTime);
    }

    /** @param nanos the monotonic clock */
    Batcher(
            String name,
            Limits limits,
            Predicate<Throwable> blamesItem,
            Function<List<I>, Uni<List<O>>> statement,
            LongSupplier nanos) {
        this.name = name;
        this.limits = limits;
        this.blamesItem = blamesItem;
        this.statement = statement;
        this.nanos = nanos;
    }

    /** Submits {@code item} when subscribed to; fails with {@link BusyException} when too many are waiting. */
    public Uni<O> submit(I item) {
        return Uni.createFrom().emitter(caller -> add(item, caller));
    }

    private void add(I item, UniEmitter<? super O> caller) {
        synchronized (waiting) {
            if (waiting.size() < limits.waiting()) {
                waiting.add(new Waiting<I, O>(item, caller));
                caller = null;
            }
        }
        if (caller != null) {
            caller.fail(new BusyException(name));
            return;
        }
        sendNext();
    }

    private void sendNext() {
        var batch = take();
        while (!batch.isEmpty() && hasLandedAtOnce(batch)) {
            batch = take();
        }
    }

    /**
     * Sends a batch; the next one goes when the callers have heard of this one, since its results may come on another
     * thread and be ahead of these. Returns true when that is left to the caller: a statement that answers at once, to
     * one who then submits the next item, would need more of the stack with each.
     */
    private boolean hasLandedAtOnce(List<Waiting<I, O>> batch) {
        var isLeft = new AtomicBoolean();
        send(batch).subscribe().with(succeeded -> landed(succeeded, isLeft), _ -> landed(false, isLeft));
        return isLeft.getAndSet(true);
    }

    private List<Waiting<I, O>> take() {
        synchronized (waiting) {
            if (waiting.isEmpty() || inFlight >= limits.inFlight(waiting.size())) {
                return List.of();
            }
            var now = nanos.getAsLong();
            forget(now);
            if (inFlight++ == 0) {
                movedAt = now;
            }
            var batch = new ArrayList<Waiting<I, O>>(Math.min(waiting.size(), limits.batch()));
            while (batch.size() < limits.batch() && !waiting.isEmpty()) {
                batch.add(waiting.remove());
            }
            return batch;
        }
    }

    private void landed(boolean succeeded, AtomicBoolean isLeft) {
        synchronized (waiting) {
            inFlight--;
            var now = nanos.getAsLong();
            if (succeeded) {
                succeededAt = now;
                failingSince = null;
            } else if (failingSince == null) {
                failingSince = movedAt;
            }
            movedAt = now;
        }
        if (isLeft.getAndSet(true)) {
            sendNext();
        }
    }

    /** Whether nothing waits, and all that came before has been told its result. */
    public boolean isIdle() {
        synchronized (waiting) {
            return inFlight == 0 && waiting.isEmpty();
        }
    }

    /** The progress of the batches; while there is nothing to send, nothing is expected. */
    public TaskProgress progress() {
        synchronized (waiting) {
            var now = nanos.getAsLong();
            forget(now);
            var last = succeededAt;
            var since = failingSince;
            var stuck = inFlight == 0 ? Duration.ZERO : Duration.ofNanos(now - movedAt);
            return new TaskProgress(
                    last == null ? null : Duration.ofNanos(now - last),
                    stuck,
                    since == null ? stuck : Duration.ofNanos(now - since));
        }
    }

    private void forget(long now) {
        if (inFlight == 0 && now - movedAt > QUIET.toNanos()) {
            failingSince = null;
        }
    }

    /** Whether the database answered, also by refusing an item; of a batch that was halved the last part counts. */
    private Uni<Boolean> send(List<Waiting<I, O>> batch) {
        var items = new ArrayList<I>(batch.size());
        for (var one : batch) {
            items.add(one.item());
        }
        return Uni.createFrom()
                .deferred(() -> statement.apply(items))
                .map(results -> deliver(batch, results))
                .onFailure()
                .recoverWithUni(failure -> isolate(batch, failure));
    }

    private boolean deliver(List<Waiting<I, O>> batch, List<O> results) {
        if (results.size() != batch.size()) {
            throw new IllegalStateException(
                    "%s: %d results for %d items".formatted(name, results.size(), batch.size()));
        }
        for (var i = 0; i < batch.size(); i++) {
            batch.get(i).caller().complete(results.get(i));
        }
        return true;
    }

    private Uni<Boolean> isolate(List<Waiting<I, O>> batch, Throwable failure) {
        if (batch.size() == 1 || !blamesItem.test(failure)) {
            batch.forEach(one -> one.caller().fail(failure));
            if (failure instanceof UnavailableException) {
                takeAll().forEach(one -> one.caller().fail(failure));
            }
            return Uni.createFrom().item(blamesItem.test(failure));
        }
        var middle = batch.size() / 2;
        return send(batch.subList(0, middle)).chain(() -> send(batch.subList(middle, batch.size())));
    }

    /** A caller behind a database that does not answer would wait for one timeout after the other. */
    private List<Waiting<I, O>> takeAll() {
        synchronized (waiting) {
            var all = List.copyOf(waiting);
            waiting.clear();
            return all;
        }
    }

    private record Waiting<I, O>(I item, UniEmitter<? super O> caller) {}
}
