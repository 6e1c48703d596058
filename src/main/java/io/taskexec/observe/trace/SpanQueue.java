package io.taskexec.observe.trace;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** Spans that wait to be exported. It takes no more than it has room for, and its callers never wait. */
final class SpanQueue {
    /** Some megabytes; what one second has at full load is more than a collector takes in one. */
    static final int CAPACITY = 8_192;

    private static final int BATCH = 512;

    private final BlockingQueue<EndedSpan> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicBoolean told = new AtomicBoolean();
    private final Counter exported;
    private final Counter dropped;

    SpanQueue(MeterRegistry metrics) {
        exported = Counter.builder("taskexec.spans.exported")
                .description("Spans that the collector has taken")
                .register(metrics);
        dropped = Counter.builder("taskexec.spans.dropped")
                .description("Spans that the collector will never see: too many waited for it, or it refused them")
                .register(metrics);
    }

    /** Returns whether it is time to wake the exporter: so many wait that there is no point in waiting for more. */
    boolean add(EndedSpan span) {
        if (!waiting.offer(span)) {
            dropped.increment();
            return false;
        }
        return hasBatch() && !told.get() && told.compareAndSet(false, true);
    }

    boolean hasBatch() {
        return waiting.size() >= BATCH;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Takes the spans that have waited for longest, none when none wait. */
    List<EndedSpan> take() {
        var batch = new ArrayList<EndedSpan>(BATCH);
        var _ = waiting.drainTo(batch, BATCH);
        // Only now, so that no caller wakes an exporter that is not rid of its last batch.
        told.set(false);
        return batch;
    }

    void exported(int count) {
        exported.increment(count);
    }

    void dropped(int count) {
        dropped.increment(count);
    }
}
