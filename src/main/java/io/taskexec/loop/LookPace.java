package io.taskexec.loop;

import io.smallrye.mutiny.Uni;
import java.time.Duration;

/**
 * Bounds what looks cost that only tell something: at most a twentieth of the time goes into each. They pass over all
 * that was executed since the oldest transaction of the server began, so one that stays open makes them slow.
 */
public final class LookPace {
    private static final int PAUSES_PER_LOOK = 20;

    private LookPace() {}

    /** Looks, and returns how long to wait before the next time, {@code least} or longer. */
    public static Uni<Duration> look(Uni<?> look, Duration least) {
        return Uni.createFrom().deferred(() -> {
            var begin = System.nanoTime();
            return look.map(_ -> {
                var pause = Duration.ofNanos(System.nanoTime() - begin).multipliedBy(PAUSES_PER_LOOK);
                return pause.compareTo(least) > 0 ? pause : least;
            });
        });
    }
}
