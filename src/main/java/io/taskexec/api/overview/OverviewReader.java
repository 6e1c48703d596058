package io.taskexec.api.overview;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.activity.EndpointActivity;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.execution.CreationRate;
import io.taskexec.store.execution.QueueDepthStore;
import io.taskexec.store.execution.QueueDepthStore.Depth;
import io.taskexec.store.execution.QueueDepthStore.Depths;
import io.taskexec.store.flow.FlowUsageStore;
import io.taskexec.store.flow.FlowUsageStore.Usage;
import io.taskexec.store.pressure.PressureStore;
import io.taskexec.store.sql.RecentRead;
import io.taskexec.store.worker.WorkerList;
import io.taskexec.store.worker.WorkerList.Fleet;
import io.taskexec.store.worker.WorkerList.Member;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Reads the overview, once for all who ask within half a second. It takes eight statements, one after the other, and
 * none while there is no request. Each is bounded: at most 20,000 executions of each state are counted in the index of
 * the claim and a tenth of that read, 10,000 parked ones and 20,000 flow keys; of queues, workers and breakers there
 * are few rows.
 */
@Singleton
final class OverviewReader {
    /** Entries of each list. */
    static final int MOST = 50;

    private static final Duration MAX_AGE = Duration.ofMillis(500);

    private final QueueDepthStore depths;
    private final QueueSettingsStore queues;
    private final WorkerList workers;
    private final FlowUsageStore flow;
    private final BreakerStore breakers;
    private final CreationRate creations;
    private final PressureStore pressure;
    private final RecentRead<OverviewView> shared;

    OverviewReader(
            QueueDepthStore depths,
            QueueSettingsStore queues,
            WorkerList workers,
            FlowUsageStore flow,
            BreakerStore breakers,
            CreationRate creations,
            PressureStore pressure) {
        this.depths = depths;
        this.queues = queues;
        this.workers = workers;
        this.flow = flow;
        this.breakers = breakers;
        this.creations = creations;
        this.pressure = pressure;
        this.shared = new RecentRead<>(MAX_AGE, this::readNow);
    }

    /** The state of at most half a second ago. */
    Uni<OverviewView> read() {
        return shared.get();
    }

    private Uni<OverviewView> readNow() {
        return Uni.combine()
                .all()
                .unis(depths.quickDepths(), workers.read(), flow.usage(), creations.perSecond(), pressure.signals())
                .usingConcurrencyOf(1)
                .asTuple()
                .chain(read -> {
                    var busiestQueues = busiestQueues(read.getItem1());
                    var endpoints = busiestEndpoints(read.getItem2(), read.getItem3());
                    return Uni.combine()
                            .all()
                            .unis(
                                    queues.find(names(busiestQueues)),
                                    breakers.unhealthy(
                                            endpoints.subList(0, Math.min(MOST, endpoints.size())), 2 * MOST))
                            .usingConcurrencyOf(1)
                            .with((settings, unhealthy) -> new OverviewParts(
                                            read.getItem1(),
                                            busiestQueues,
                                            settings,
                                            read.getItem2(),
                                            calls(read.getItem2()),
                                            read.getItem3(),
                                            endpoints,
                                            unhealthy,
                                            read.getItem4(),
                                            read.getItem5())
                                    .view());
                });
    }

    private static Collection<String> names(List<Depth> depths) {
        return depths.stream().map(Depth::queue).toList();
    }

    /** Those with most to do, and then those that are paused. */
    static List<Depth> busiestQueues(Depths depths) {
        return depths.queues().stream()
                .sorted(Comparator.comparingLong((Depth depth) ->
                                -(depth.ready() + depth.parked() + depth.running() + depth.scheduled()))
                        .thenComparingDouble(depth -> -depth.pausedFor())
                        .thenComparing(Depth::queue))
                .limit(MOST)
                .toList();
    }

    /** The calls of all live workers within the last minute, by endpoint. */
    static Map<String, EndpointActivity> calls(Fleet fleet) {
        var calls = new HashMap<String, EndpointActivity>();
        fleet.members().stream()
                .filter(Member::isHeardOf)
                .map(Member::activity)
                .flatMap(activity -> activity == null ? Stream.empty() : activity.endpoints().stream())
                .forEach(endpoint -> calls.merge(endpoint.endpoint(), endpoint, EndpointActivity::plus));
        return calls;
    }

    /** Those with the most calls and the most that is parked. */
    static List<String> busiestEndpoints(Fleet fleet, Usage usage) {
        var load = new HashMap<String, Long>();
        calls(fleet).values().forEach(calls -> load.put(calls.endpoint(), calls.attempts() + calls.running()));
        usage.endpoints().forEach(one -> load.merge(one.endpoint(), one.parked() + one.open(), Long::sum));
        return load.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .toList();
    }
}
