package io.taskexec.server;

import io.vertx.core.Vertx;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Leaves a mark on each event loop once a second, so that one that is blocked is noticed. */
@Singleton
final class EventLoopWatch {
    private static final int MARK_EVERY_MS = 1_000;

    private final Vertx vertx;
    private final List<AtomicLong> marks = new CopyOnWriteArrayList<>();

    EventLoopWatch(Vertx vertx) {
        this.vertx = vertx;
    }

    @SuppressWarnings("deprecation") // Nothing else leads to each of them.
    void start() {
        for (var loop : vertx.nettyEventLoopGroup()) {
            var mark = new AtomicLong(System.nanoTime());
            marks.add(mark);
            var _ = loop.scheduleWithFixedDelay(
                    () -> mark.set(System.nanoTime()), 0, MARK_EVERY_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** The longest time that an event loop may have been blocked; up to a second is normal. */
    Duration longestBlock() {
        var now = System.nanoTime();
        return Duration.ofNanos(
                marks.stream().mapToLong(mark -> now - mark.get()).max().orElse(0));
    }
}
