package io.taskexec.observe.metrics;

import io.micrometer.core.instrument.Timer;
import io.vertx.core.spi.metrics.PoolMetrics;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Metrics of the pool of connections to the database. Its tokens are the time when they were handed out. */
final class DatabasePool implements PoolMetrics<Long> {
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger inUse = new AtomicInteger();
    private final Timer waits;

    DatabasePool(Meters meters, int size) {
        waits = meters.timer("taskexec.db.pool.wait", "From asking for a connection to having one");
        meters.gauge("taskexec.db.pool.size", "Connections that there may be", () -> size);
        meters.gauge("taskexec.db.pool.in.use", "Connections that are in use", inUse::get);
        meters.gauge("taskexec.db.pool.waiting", "Statements that wait for a connection", waiting::get);
    }

    @Override
    public Long submitted() {
        waiting.incrementAndGet();
        return System.nanoTime();
    }

    @Override
    public Long begin(Long submitted) {
        waiting.decrementAndGet();
        inUse.incrementAndGet();
        waits.record(System.nanoTime() - submitted, TimeUnit.NANOSECONDS);
        return submitted;
    }

    @Override
    public void rejected(Long submitted) {
        waiting.decrementAndGet();
    }

    @Override
    public void end(Long begun, boolean succeeded) {
        inUse.decrementAndGet();
    }
}
