package io.taskexec.web.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.overview.OverviewResource;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.activity.EndpointActivity;
import io.taskexec.model.activity.Latencies;
import io.taskexec.store.execution.WorkerList;
import io.taskexec.store.execution.WorkerList.Fleet;
import io.taskexec.store.execution.WorkerList.Member;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the overview of the last hour for the charts, in the memory of this process. It reads while people look at
 * the dashboard and for an hour after, so that one that is not used costs nothing.
 */
@Singleton
final class RecentHistory {
    private static final Duration EVERY = Duration.ofSeconds(10);
    private static final Duration KEPT = Duration.ofHours(1);

    private final OverviewResource overview;
    private final WorkerList workers;
    private final Trees trees;
    private final Loop loop;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private volatile long wantedAt;

    /**
     * The overview at a moment.
     *
     * @param waiting executions that are due, or parked behind others
     * @param attempts that ended within a minute
     * @param p95Ms of these
     */
    record Sample(
            Instant at,
            double waiting,
            double running,
            double createdPerSec,
            double endedPerSec,
            double attempts,
            double failures,
            @Nullable Double p50Ms,
            @Nullable Double p95Ms) {}

    RecentHistory(OverviewResource overview, WorkerList workers, Trees trees, LoopTimer timer) {
        this.overview = overview;
        this.workers = workers;
        this.trees = trees;
        this.loop = new Loop("history of the dashboard", this::readOnce, timer);
    }

    /** The samples of the last hour, oldest first. From now on there will be more. */
    synchronized List<Sample> read() {
        wantedAt = System.nanoTime();
        loop.start();
        return List.copyOf(samples);
    }

    private Uni<Duration> readOnce() {
        if (System.nanoTime() - wantedAt > KEPT.toNanos()) {
            return loop.stop().replaceWith(EVERY);
        }
        return trees.of(overview::get)
                .chain(snapshot -> workers.read().map(fleet -> sample(snapshot, fleet)))
                .invoke(this::add)
                .replaceWith(EVERY);
    }

    private synchronized void add(Sample sample) {
        samples.addLast(sample);
        while (samples.getFirst().at().isBefore(sample.at().minus(KEPT))) {
            samples.removeFirst();
        }
    }

    private static Sample sample(ObjectNode snapshot, Fleet fleet) {
        var totals = snapshot.path("totals");
        var calls = fleet.members().stream()
                .filter(Member::isHeardOf)
                .map(Member::activity)
                .flatMap(activity -> activity == null ? Stream.empty() : activity.endpoints().stream())
                .reduce(new EndpointActivity("", 0, 0, 0, Latencies.NONE), EndpointActivity::plus);
        return new Sample(
                Instant.parse(snapshot.path("at").asText()),
                totals.path("ready").asDouble() + totals.path("parked").asDouble(),
                totals.path("running").asDouble(),
                totals.path("created_per_sec").asDouble(),
                totals.path("ended_per_sec").asDouble(),
                calls.attempts(),
                calls.failures(),
                calls.latencies().percentileMs(0.5),
                calls.latencies().percentileMs(0.95));
    }
}
