package io.taskexec.api.overview;

import io.taskexec.api.overview.OverviewView.BreakerRow;
import io.taskexec.api.overview.OverviewView.EndpointRow;
import io.taskexec.api.overview.OverviewView.QueueRow;
import io.taskexec.api.overview.OverviewView.Signal;
import io.taskexec.api.overview.OverviewView.WorkerRow;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.PublicId;
import io.taskexec.model.activity.EndpointActivity;
import io.taskexec.model.activity.Latencies;
import io.taskexec.model.activity.WorkerActivity;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.flow.PressureReading;
import io.taskexec.model.queue.QueueDetails;
import io.taskexec.store.endpoint.BreakerStore.Listed;
import io.taskexec.store.endpoint.BreakerStore.Unhealthy;
import io.taskexec.store.execution.QueueDepthStore.Depth;
import io.taskexec.store.execution.QueueDepthStore.Depths;
import io.taskexec.store.flow.FlowUsageStore.OfEndpoint;
import io.taskexec.store.flow.FlowUsageStore.Usage;
import io.taskexec.store.worker.WorkerList.Fleet;
import io.taskexec.store.worker.WorkerList.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Shows what was read for an overview.
 *
 * @param queues the depths of the busiest queues
 * @param settings of these queues, in no order
 * @param calls of all workers, by endpoint
 * @param endpoints all that are busy, the busiest first
 */
record OverviewParts(
        Depths depths,
        List<Depth> queues,
        List<QueueDetails> settings,
        Fleet fleet,
        Map<String, EndpointActivity> calls,
        Usage flow,
        List<String> endpoints,
        Unhealthy breakers,
        double createdPerSec,
        List<PressureReading> signals) {
    private static final double SECONDS = Duration.ofMinutes(1).toSeconds();

    OverviewView view() {
        return new OverviewView(
                ProgramClock.now(),
                totals(),
                new OverviewView.Queues(depths.queues().size(), queueRows()),
                new OverviewView.Workers(
                        fleet.total(),
                        fleet.members().stream()
                                .limit(OverviewReader.MOST)
                                .map(OverviewParts::row)
                                .toList()),
                new OverviewView.Endpoints(endpoints.size(), endpointRows()),
                new OverviewView.Breakers(
                        breakers.total(),
                        breakers.breakers().stream().map(OverviewParts::row).toList()),
                signals.stream()
                        .map(one -> new Signal(
                                one.source(),
                                one.value(),
                                one.remaining() == null ? null : one.remaining().toMillis()))
                        .toList());
    }

    private OverviewView.Totals totals() {
        var ready = 0L;
        var scheduled = 0L;
        var parked = 0L;
        var running = 0L;
        var more = new TreeSet<String>();
        for (var depth : depths.queues()) {
            ready += depth.ready();
            scheduled += depth.scheduled();
            parked += depth.parked();
            running += depth.running();
            more.addAll(more(depth));
        }
        if (flow.isPart()) {
            more.addAll(List.of("flow_lines", "flow_places"));
        }
        return new OverviewView.Totals(
                ready,
                scheduled,
                parked,
                running,
                rounded(createdPerSec),
                rounded(ended() / SECONDS),
                fleet.slots(),
                fleet.usedSlots(),
                flow.open(),
                flow.lines(),
                List.copyOf(more));
    }

    private long ended() {
        return fleet.members().stream()
                .filter(Member::isHeardOf)
                .map(Member::activity)
                .filter(Objects::nonNull)
                .mapToLong(WorkerActivity::ended)
                .sum();
    }

    private static double rounded(double value) {
        return Math.round(value * 10) / 10.0;
    }

    private List<String> more(Depth depth) {
        var more = new ArrayList<String>();
        if (depth.ready() >= depths.most()) {
            more.add("ready");
        }
        if (depth.scheduled() + depth.running() >= depths.most()) {
            more.add("scheduled");
        }
        if (depth.parked() >= depths.most()) {
            more.add("parked");
        }
        if (depth.running() >= depths.mostRunning()) {
            more.add("running");
        }
        return more;
    }

    /** A queue that was deleted between two statements is left out. */
    private List<QueueRow> queueRows() {
        var byName = settings.stream().collect(Collectors.toMap(QueueDetails::name, Function.identity()));
        return queues.stream()
                .flatMap(depth -> Stream.ofNullable(byName.get(depth.queue())).map(queue -> row(depth, queue)))
                .toList();
    }

    private QueueRow row(Depth depth, QueueDetails queue) {
        var aging = queue.settings().aging();
        var pause = queue.pause();
        return new QueueRow(
                queue.name(),
                queue.settings().weight(),
                aging == null ? null : aging.toString(),
                pause != null,
                pause == null ? null : pause.from(),
                pause == null ? null : pause.until(),
                pause == null ? null : pause.reason(),
                depth.ready(),
                depth.scheduled(),
                depth.parked(),
                depth.running(),
                Math.round(depth.oldestAge() * 1000),
                more(depth));
    }

    private static WorkerRow row(Member worker) {
        var activity = worker.activity();
        return new WorkerRow(
                PublicId.WORKER.show(worker.id()),
                worker.host(),
                worker.region(),
                activity == null ? null : activity.slots(),
                activity == null ? null : activity.usedSlots(),
                new TreeMap<>(worker.pressure()),
                worker.startedAt(),
                worker.lastSeenAt());
    }

    private List<EndpointRow> endpointRows() {
        var byFlow = flow.endpoints().stream().collect(Collectors.toMap(OfEndpoint::endpoint, Function.identity()));
        var states = breakers.breakers().stream()
                .collect(Collectors.toMap(
                        Listed::endpoint, listed -> listed.breaker().state()));
        return endpoints.stream()
                .limit(OverviewReader.MOST)
                .map(name -> row(
                        calls.getOrDefault(name, new EndpointActivity(name, 0, 0, 0, Latencies.NONE)),
                        byFlow.getOrDefault(name, new OfEndpoint(name, 0, 0, 0, 0, null, null)),
                        states.getOrDefault(name, Breaker.State.CLOSED)))
                .toList();
    }

    private EndpointRow row(EndpointActivity calls, OfEndpoint keys, Breaker.State breaker) {
        return new EndpointRow(
                calls.endpoint(),
                calls.running(),
                calls.attempts(),
                calls.failures(),
                calls.latencies().percentileMs(0.5),
                calls.latencies().percentileMs(0.95),
                breaker,
                keys.open(),
                keys.parked(),
                keys.lines(),
                keys.tokens(),
                flow.isPart() ? List.of("lines", "parked", "places") : List.of());
    }

    private static BreakerRow row(Listed listed) {
        var breaker = listed.breaker();
        return new BreakerRow(
                listed.endpoint(),
                breaker.state(),
                breaker.since(),
                breaker.state() == Breaker.State.DISABLED ? null : breaker.retryAt(),
                breaker.reason());
    }
}
