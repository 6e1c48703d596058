package io.taskexec.api.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.taskexec.model.audit.ClientNetwork;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the wrong API keys that come from each network, minute by minute. */
final class WrongKeys {
    private static final int MOST_NETWORKS = 10_000;
    private static final Duration PERIOD = Duration.ofMinutes(1);

    private final int mostPerMin;
    private final Ticker clock;
    private final Cache<ClientNetwork, Count> counts;

    /** @param began of {@link System#nanoTime} */
    private record Count(long began, AtomicInteger wrong) {}

    /** @param mostPerMin 0 for no limit */
    WrongKeys(int mostPerMin, Ticker clock) {
        this.mostPerMin = mostPerMin;
        this.clock = clock;
        this.counts = Caffeine.newBuilder()
                .maximumSize(MOST_NETWORKS)
                .expireAfterWrite(PERIOD)
                .ticker(clock)
                .build();
    }

    /** Counts one more. */
    void add(ClientNetwork network) {
        if (mostPerMin > 0) {
            var _ = counts.get(network, _ -> new Count(clock.read(), new AtomicInteger()))
                    .wrong()
                    .incrementAndGet();
        }
    }

    /** Returns the seconds until more of them are checked; 0 when that is now. */
    long secondsToWait(ClientNetwork network) {
        var count = counts.getIfPresent(network);
        if (count == null || count.wrong().get() <= mostPerMin) {
            return 0;
        }
        var left = PERIOD.minusNanos(clock.read() - count.began());
        return Math.max(1, left.plusMillis(999).toSeconds());
    }
}
