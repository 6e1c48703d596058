package io.taskexec.store.sql;

import io.smallrye.mutiny.Uni;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Does something once for all who wait for it, who go on in the order in which they came. Mutiny's {@code memoize}
 * alone may give its item to one who comes just then before it tells of the subscription. The operators that follow
 * then take one item for another, or wait for ever. An emitter tells of the subscription first.
 */
public final class Once {
    private Once() {}

    /** Does it when the first one waits, and keeps what comes of it, a failure too. */
    public static <T extends @Nullable Object> Uni<T> forAll(Uni<T> work) {
        return subscribedFirst(work.memoize().indefinitely());
    }

    /** The same, but anew for the first one who comes when a time has passed since. */
    public static <T extends @Nullable Object> Uni<T> during(Duration time, Uni<T> work) {
        return subscribedFirst(work.memoize().forFixedDuration(time));
    }

    private static <T extends @Nullable Object> Uni<T> subscribedFirst(Uni<T> kept) {
        return Uni.createFrom().emitter(emitter -> {
            var _ = kept.subscribe().with(emitter::complete, emitter::fail);
        });
    }
}
