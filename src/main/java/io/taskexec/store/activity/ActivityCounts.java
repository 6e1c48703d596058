package io.taskexec.store.activity;

import io.taskexec.model.activity.ActivityMinute.Depth;
import io.taskexec.model.activity.Latencies;
import jakarta.inject.Singleton;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls of this process since its start, and keeps the last depth of queues that it has seen. */
@Singleton
public final class ActivityCounts {
    private final LongAdder failures = new LongAdder();
    private final AtomicLongArray latencies = new AtomicLongArray(Latencies.BUCKETS);
    private volatile Depth depth = Depth.NONE;

    /** A call has ended. */
    public void attempted(boolean failed, long nanos) {
        var _ = latencies.incrementAndGet(Latencies.bucket(nanos));
        if (failed) {
            failures.increment();
        }
    }

    /** All queues were looked at. */
    public void saw(Depth now) {
        depth = now;
    }

    /** Calls that failed. Read before the latencies, it is no more than these. */
    long failures() {
        return failures.sum();
    }

    Latencies latencies() {
        var counts = new TreeMap<Integer, Long>();
        for (var bucket = 0; bucket < Latencies.BUCKETS; bucket++) {
            var count = latencies.get(bucket);
            if (count > 0) {
                counts.put(bucket, count);
            }
        }
        return new Latencies(counts);
    }

    Depth depth() {
        return depth;
    }
}
