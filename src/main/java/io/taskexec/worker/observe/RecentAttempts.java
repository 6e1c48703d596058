package io.taskexec.worker.observe;

import io.taskexec.model.activity.EndpointActivity;
import io.taskexec.model.activity.Latencies;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Remembers the calls of the last minute of each endpoint, for the heartbeat: their number, their failures and how long
 * they took. With more endpoints than there are places, those with fewer calls lose theirs at the next heartbeat.
 */
@Singleton
public final class RecentAttempts {
    static final int MAX_ENDPOINTS = 200;

    private static final int STEPS = 12;
    private static final long STEP_NANOS = Duration.ofMinutes(1).toNanos() / STEPS;

    private final LongSupplier nanos;
    private final Map<String, Window> windows = new ConcurrentHashMap<>();

    @Inject
    public RecentAttempts() {
        this(System::nanoTime);
    }

    /** @param nanos the monotonic clock */
    RecentAttempts(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A call for an endpoint has ended. */
    void ended(String endpoint, boolean failed, long tookNanos) {
        var window = windows.get(endpoint);
        if (window == null) {
            // A few more than there are places when several come at the same time.
            if (windows.size() >= MAX_ENDPOINTS) {
                return;
            }
            window = windows.computeIfAbsent(endpoint, _ -> new Window());
        }
        window.add(failed, Latencies.bucket(tookNanos), step());
    }

    private long step() {
        return Math.floorDiv(nanos.getAsLong(), STEP_NANOS);
    }

    /**
     * The endpoints with the most calls within the last minute, and under way.
     *
     * @param running the calls under way by endpoint
     * @param most the number of endpoints
     */
    public List<EndpointActivity> busiest(Map<String, Integer> running, int most) {
        var step = step();
        var all = new TreeMap<String, EndpointActivity>();
        windows.forEach((endpoint, window) ->
                all.put(endpoint, window.activity(endpoint, running.getOrDefault(endpoint, 0), step)));
        makeRoom(all);
        return Stream.concat(
                        all.values().stream().filter(one -> one.attempts() + one.running() > 0),
                        running.entrySet().stream()
                                .filter(one -> !all.containsKey(one.getKey()))
                                .map(one -> new EndpointActivity(one.getKey(), one.getValue(), 0, 0, Latencies.NONE)))
                .sorted(Comparator.comparingLong(RecentAttempts::load)
                        .reversed()
                        .thenComparing(EndpointActivity::endpoint))
                .limit(most)
                .toList();
    }

    private static long load(EndpointActivity one) {
        return one.attempts() + one.running();
    }

    /** Takes the places of endpoints that were idle for a minute, and of half of the others when none is free. */
    private void makeRoom(Map<String, EndpointActivity> all) {
        var kept = all.values().stream()
                .filter(one -> load(one) > 0)
                .sorted(Comparator.comparingLong(RecentAttempts::load).reversed())
                .map(EndpointActivity::endpoint)
                .toList();
        var most = kept.size() < MAX_ENDPOINTS ? kept.size() : MAX_ENDPOINTS / 2;
        windows.keySet().retainAll(kept.subList(0, most));
    }

    /** The calls of one endpoint in steps of five seconds. */
    private static final class Window {
        private final int[] attempts = new int[STEPS];
        private final int[] failures = new int[STEPS];
        private final int[][] buckets = new int[STEPS][Latencies.BUCKETS];
        private long last = Long.MIN_VALUE;

        synchronized void add(boolean failed, int bucket, long step) {
            move(step);
            var place = place(step);
            attempts[place]++;
            failures[place] += failed ? 1 : 0;
            buckets[place][bucket]++;
        }

        private static int place(long step) {
            return (int) Math.floorMod(step, (long) STEPS);
        }

        /** Forgets what is older than a minute. */
        private void move(long step) {
            for (var next = Math.max(last, step - STEPS) + 1; next <= step; next++) {
                var place = place(next);
                attempts[place] = 0;
                failures[place] = 0;
                Arrays.fill(buckets[place], 0);
            }
            last = Math.max(last, step);
        }

        synchronized EndpointActivity activity(String endpoint, int running, long step) {
            move(step);
            var counts = new TreeMap<Integer, Long>();
            for (var inStep : buckets) {
                for (var bucket = 0; bucket < inStep.length; bucket++) {
                    if (inStep[bucket] > 0) {
                        counts.merge(bucket, (long) inStep[bucket], Long::sum);
                    }
                }
            }
            return new EndpointActivity(
                    endpoint,
                    running,
                    Arrays.stream(attempts).sum(),
                    Arrays.stream(failures).sum(),
                    new Latencies(counts));
        }
    }
}
