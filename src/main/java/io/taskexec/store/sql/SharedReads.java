package io.taskexec.store.sql;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what reads of the database gave. Those who ask while a read is under way wait for it together, and go on in the
 * order in which they have asked: jobs that come together are created in their order. A failure, and null, is not kept:
 * the next one reads again.
 *
 * @param <K> what is asked for
 * @param <V> the result of a read; null means that nothing was found
 */
public final class SharedReads<K, V extends @Nullable Object> {
    private final AsyncCache<K, V> kept;
    private final Function<K, Uni<V>> read;
    private final Map<K, Uni<V>> underWay = new ConcurrentHashMap<>();

    /** @param settings what is kept, and for how long: the time counts from the end of a read */
    public SharedReads(Caffeine<Object, Object> settings, Function<K, Uni<V>> read) {
        this.kept = settings.buildAsync();
        this.read = read;
    }

    /** Returns the kept result, or that of a read that is under way or begins. */
    public Uni<V> get(K key) {
        return Uni.createFrom().deferred(() -> {
            var known = known(key);
            return known != null ? Uni.createFrom().item(known) : underWay.computeIfAbsent(key, this::begin);
        });
    }

    /** Returns the kept result, or null. */
    @Nullable
    V known(K key) {
        var known = kept.getIfPresent(key);
        return known != null && known.isDone() && !known.isCompletedExceptionally() ? known.join() : null;
    }

    /** A future would let those who wait for it go on in the opposite order, and may be cancelled by each of them. */
    private Uni<V> begin(K key) {
        return Once.forAll(Uni.createFrom()
                .completionStage(() -> kept.get(key, (one, _) -> read.apply(one).subscribeAsCompletionStage()))
                .onTermination()
                .invoke(() -> underWay.remove(key)));
    }

    /** The next one reads again, also when a read is under way. */
    public void forget(K key) {
        kept.synchronous().invalidate(key);
        underWay.remove(key);
    }
}
