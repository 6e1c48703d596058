package io.taskexec.store.sql;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps for a moment what a read of the database gave, for callers that ask often: {@link SharedReads} of one thing.
 *
 * @param <T> what is read, never null
 */
public final class RecentRead<T> {
    private final SharedReads<Boolean, T> last;

    /** @param maxAge counts from the end of a read, however long that takes */
    public RecentRead(Duration maxAge, Supplier<Uni<T>> read) {
        this.last = new SharedReads<>(Caffeine.newBuilder().expireAfterWrite(maxAge), _ -> read.get());
    }

    /** Returns the kept result, unless it is older than the maximum age; else it is read again. */
    public Uni<T> get() {
        return last.get(true);
    }

    /** The kept result; null when it is older than the maximum age, or there has been no read. */
    public @Nullable T known() {
        return last.known(true);
    }

    /** The next caller reads again, also when a read is under way. */
    public void forget() {
        last.forget(true);
    }
}
