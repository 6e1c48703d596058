package io.taskexec.worker.observe;

import io.micrometer.core.instrument.Timer;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.worker.observe.AttemptMetrics.Ending;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts and times the attempts of endpoints by outcome: for the busiest endpoints each, for all others
 * together. An endpoint has a place while there is one. After each minute those without a place get the places of
 * endpoints that had less than half as much to do; what an endpoint has once added to the others stays with them.
 */
@Singleton
public final class EndpointMetrics {
    static final int MAX_ENDPOINTS = 200;

    private static final int MAX_CANDIDATES = 10_000;
    private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();

    /** An endpoint that is called so is counted with them. */
    private static final String OTHERS = "other";

    private final Meters meters;
    private final LongSupplier nanos;
    private final Map<String, Series> places = new ConcurrentHashMap<>();

    /** The attempts of endpoints without a place since the window began. */
    private final Map<String, LongAdder> candidates = new ConcurrentHashMap<>();

    private final Series others = new Series(OTHERS);
    private final AtomicLong windowEnd;

    @Inject
    public EndpointMetrics(Meters meters) {
        this(meters, System::nanoTime);
    }

    /** @param nanos the monotonic clock */
    EndpointMetrics(Meters meters, LongSupplier nanos) {
        this.meters = meters;
        this.nanos = nanos;
        this.windowEnd = new AtomicLong(nanos.getAsLong() + WINDOW_NANOS);
    }

    /** A call for an endpoint has ended. */
    void ended(String endpoint, Ending ending, long tookNanos) {
        if (!meters.areOn()) {
            return;
        }
        reassignWhenDue();
        if (!series(endpoint).record(ending, tookNanos)) {
            var _ = others.record(ending, tookNanos);
        }
    }

    Series series(String endpoint) {
        var own = places.get(endpoint);
        if (own == null) {
            own = admit(endpoint);
        }
        if (own != others || endpoint.equals(OTHERS)) {
            return own;
        }
        if (candidates.size() < MAX_CANDIDATES || candidates.containsKey(endpoint)) {
            candidates.computeIfAbsent(endpoint, _ -> new LongAdder()).increment();
        }
        return others;
    }

    private Series admit(String endpoint) {
        if (places.size() >= MAX_ENDPOINTS || endpoint.equals(OTHERS)) {
            return others;
        }
        synchronized (places) {
            return places.size() >= MAX_ENDPOINTS ? others : places.computeIfAbsent(endpoint, Series::new);
        }
    }

    private void reassignWhenDue() {
        var now = nanos.getAsLong();
        var end = windowEnd.get();
        if (now - end >= 0 && windowEnd.compareAndSet(end, now + WINDOW_NANOS)) {
            synchronized (places) {
                reassign();
            }
        }
    }

    private void reassign() {
        var idlest = places.entrySet().stream()
                .sorted(Comparator.comparingLong(
                        entry -> entry.getValue().inWindow.sum()))
                .iterator();
        var busiest = candidates.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> -entry.getValue().sum()))
                .limit(MAX_ENDPOINTS)
                .iterator();
        while (idlest.hasNext() && busiest.hasNext()) {
            var leaving = idlest.next();
            var coming = busiest.next();
            if (coming.getValue().sum() <= 2 * leaving.getValue().inWindow.sum()) {
                break;
            }
            places.remove(leaving.getKey());
            leaving.getValue().remove();
            places.put(coming.getKey(), new Series(coming.getKey()));
        }
        candidates.clear();
        places.values().forEach(series -> series.inWindow.reset());
    }

    /** The meters of one endpoint, made when they are needed first. */
    final class Series {
        private final String endpoint;
        private final Map<Ending, Timer> timers = new EnumMap<>(Ending.class);
        private final LongAdder inWindow = new LongAdder();
        private boolean removed;

        private Series(String endpoint) {
            this.endpoint = endpoint;
        }

        /** Returns whether it is counted here: a series may have lost its place since it was found. */
        synchronized boolean record(Ending ending, long tookNanos) {
            if (removed) {
                return false;
            }
            inWindow.increment();
            timer(ending).record(tookNanos, TimeUnit.NANOSECONDS);
            return true;
        }

        private Timer timer(Ending ending) {
            var timer = timers.get(ending);
            return timer == null ? timers.computeIfAbsent(ending, this::register) : timer;
        }

        private Timer register(Ending ending) {
            return meters.times(
                    "taskexec.endpoint.attempt.duration",
                    "Duration of the calls of one endpoint",
                    "endpoint",
                    endpoint,
                    "outcome",
                    ending.name().toLowerCase(Locale.ROOT));
        }

        private synchronized void remove() {
            removed = true;
            timers.values().forEach(meters::remove);
        }
    }
}
