package io.taskexec.store.sql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.TaskProgress;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Batches items that each need a key, which the transaction of an application may keep locked for as long as it likes.
 * A batch waits for locked keys only for a moment. Then its items go again in smaller and smaller parts, which wait
 * even less, each behind all larger ones: so items with free keys end soon. Items with a locked key wait apart, per key
 * and longer, before they are refused; for a second, new items with that key join them.
 *
 * @param <I> what a caller submits
 * @param <O> what it gets back
 */
public final class KeyBatcher<I, O> {
    /** Of statements for one item, such as a job, whose id is the key. */
    public static final Batcher.Limits SINGLE = new Batcher.Limits(1, 10_000, 100);

    private static final Batcher.Limits PARTS = new Batcher.Limits(32, 10_000, 2);
    private static final Batcher.Limits SMALL_PARTS = new Batcher.Limits(4, 10_000, 2);
    private static final Batcher.Limits ONES = new Batcher.Limits(1, 10_000, 4);

    /** Each of these occupies a connection for as long as it waits. */
    private static final Batcher.Limits LINES = new Batcher.Limits(1, 1_000, 2);

    private static final Duration HELD = Duration.ofSeconds(1);
    private static final int MOST_HELD = 10_000;

    private final String name;
    private final Batcher.Limits limits;
    private final Function<I, ?> key;
    private final Statement<I, O> statement;

    // An item either has its result, or goes on elsewhere.
    private final Batcher<I, Uni<O>> batches;
    private final Batcher<I, Uni<O>> parts;
    private final Batcher<I, Uni<O>> smallParts;
    private final Batcher<I, Uni<O>> ones;
    private final Batcher<Alone<I>, Uni<List<O>>> lines;
    private final LongSupplier nanos;

    /** Those of keys that were found locked. */
    private final Cache<Object, Batcher<I, O>> held =
            Caffeine.newBuilder().maximumSize(MOST_HELD).expireAfterWrite(HELD).build();

    /**
     * Returns as many results as there are items, in the same order; must be safe to run again with part of the items
     * after a failure.
     */
    public interface Statement<I, O> {
        /**
         * Runs it.
         *
         * @param timeout for each lock; {@link LockTimeout#OF_MANY} is to cost nothing
         */
        Uni<List<O>> run(List<I> items, LockTimeout timeout);
    }

    /** Items of one key that was found locked at {@code since}. */
    private record Alone<I>(List<I> items, long since) {}

    /**
     * @param name says in messages what is full
     * @param limits of what waits for no key
     * @param key of an item
     */
    public KeyBatcher(String name, Batcher.Limits limits, Function<I, ?> key, Statement<I, O> statement) {
        this(name, limits, key, statement, System::nanoTime);
    }

    /** @param nanos the monotonic clock */
    KeyBatcher(String name, Batcher.Limits limits, Function<I, ?> key, Statement<I, O> statement, LongSupplier nanos) {
        this.nanos = nanos;
        this.name = name;
        this.limits = limits;
        this.key = key;
        this.statement = statement;
        this.ones = batcher(ONES, LockTimeout.OF_PART, this::submitAlone);
        this.smallParts = batcher(SMALL_PARTS, LockTimeout.OF_PART, item -> submit(ones, item));
        this.parts = batcher(PARTS, LockTimeout.OF_PART, item -> submit(smallParts, item));
        this.batches = batcher(limits, LockTimeout.OF_MANY, item -> submit(parts, item));
        this.lines = new Batcher<>(
                name,
                LINES,
                _ -> false,
                one -> runAlone(one.getFirst())
                        .map(results -> Uni.createFrom().item(results))
                        .onFailure(LockedException.class)
                        .recoverWithItem(failure -> Uni.createFrom().failure(failure))
                        .map(List::of));
    }

    /**
     * Submits {@code item} when subscribed to; fails with {@link BusyException} when too many are waiting, and with
     * {@link LockedException} when another transaction keeps its key.
     */
    public Uni<O> submit(I item) {
        // Hardly ever is one held.
        return held.estimatedSize() == 0 || held.getIfPresent(key.apply(item)) == null
                ? submit(batches, item)
                : submitAlone(item);
    }

    private static <I, O> Uni<O> submit(Batcher<I, Uni<O>> to, I item) {
        return to.submit(item).chain(next -> next);
    }

    /** Items of which a key is locked go on elsewhere: by themselves when that is known to be theirs. */
    private Batcher<I, Uni<O>> batcher(Batcher.Limits size, LockTimeout timeout, Function<I, Uni<O>> elsewhere) {
        return new Batcher<>(
                name,
                size,
                items -> statement
                        .run(items, timeout)
                        .map(results -> results.stream()
                                .map(result -> Uni.createFrom().item(result))
                                .toList())
                        .onFailure(LockedException.class)
                        .recoverWithItem(() -> items.stream()
                                .map(items.size() == 1 ? this::submitAlone : elsewhere)
                                .toList()));
    }

    private Uni<O> submitAlone(I item) {
        var line = held.get(key.apply(item), _ -> line());
        return line.submit(item).onFailure(LockedException.class).invoke(() -> held.put(key.apply(item), line));
    }

    private Batcher<I, O> line() {
        return new Batcher<>(
                name,
                new Batcher.Limits(limits.batch(), limits.waiting(), 1),
                items -> lines.submit(new Alone<>(items, nanos.getAsLong())).chain(next -> next));
    }

    /** Behind others it may have waited long enough already. */
    private Uni<List<O>> runAlone(Alone<I> alone) {
        var hasWaited = nanos.getAsLong() - alone.since() >= LockTimeout.OF_ONE.nanos();
        return statement.run(alone.items(), hasWaited ? LockTimeout.OF_MANY : LockTimeout.OF_ONE);
    }

    /** The progress of the batches. */
    public TaskProgress progress() {
        return batches.progress();
    }
}
