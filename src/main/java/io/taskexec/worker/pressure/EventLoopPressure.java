package io.taskexec.worker.pressure;

import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells how long an event loop lets work wait, which is what too few processors do to this process, also when other
 * programs use them. Each reading leaves a mark in the queue of each loop, and the next one looks when it came up.
 */
@Singleton
final class EventLoopPressure implements PressureSource {
    private final double highest;
    private final LongSupplier clock;
    private final List<? extends Executor> loops;
    private List<Mark> marks = List.of();

    private static final class Mark implements Runnable {
        private final LongSupplier clock;
        private final long leftAt;
        private volatile @Nullable Long delay;

        Mark(LongSupplier clock) {
            this.clock = clock;
            this.leftAt = clock.getAsLong();
        }

        @Override
        public void run() {
            delay = clock.getAsLong() - leftAt;
        }

        long delay() {
            var known = delay;
            return known == null ? clock.getAsLong() - leftAt : known;
        }
    }

    @Inject
    EventLoopPressure(PressureConfig config, Vertx vertx) {
        this(config.eventLoop(), System::nanoTime, loops(vertx));
    }

    EventLoopPressure(Duration highest, LongSupplier clock, List<? extends Executor> loops) {
        this.highest = highest.toNanos();
        this.clock = clock;
        this.loops = loops;
    }

    @SuppressWarnings("deprecation") // Nothing else leads to each of them.
    private static List<EventLoop> loops(Vertx vertx) {
        var loops = new ArrayList<EventLoop>();
        vertx.nettyEventLoopGroup().forEach(loop -> loops.add((EventLoop) loop));
        return loops;
    }

    @Override
    public String name() {
        return "event-loop";
    }

    @Override
    public double read() {
        var longest = marks.stream().mapToLong(Mark::delay).max().orElse(0);
        marks = loops.stream().map(loop -> left(loop)).toList();
        return longest / highest;
    }

    private Mark left(Executor loop) {
        var mark = new Mark(clock);
        loop.execute(mark);
        return mark;
    }
}
