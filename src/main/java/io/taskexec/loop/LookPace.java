package io.taskexec.loop;

import io.smallrye.mutiny.Uni;
import java.time.Duration;

/**
 * Bounds what looks cost that only tell something. They pass over all that was executed since the oldest transaction of
 * the server began, so one that stays open makes them slow.
 */
public final class LookPace {
    private LookPace() {}

    /**
     * Looks, and returns how long to wait before the next time.
     *
     * @param least the shortest pause
     * @param pausesPerLook how many times as long as the look the pause is at least
     */
    public static Uni<Duration> look(Uni<?> look, Duration least, int pausesPerLook) {
        return Uni.createFrom().deferred(() -> {
            var begin = System.nanoTime();
            return look.map(_ -> {
                var pause = Duration.ofNanos(System.nanoTime() - begin).multipliedBy(pausesPerLook);
                return pause.compareTo(least) > 0 ? pause : least;
            });
        });
    }
}
