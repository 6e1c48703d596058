package io.taskexec.api.overview;

import io.taskexec.model.endpoint.Breaker;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the system.
 *
 * @param signals of pressure from outside, which all workers follow
 */
@Schema(name = "Overview")
record OverviewView(
        Instant at,
        Totals totals,
        Queues queues,
        Workers workers,
        Endpoints endpoints,
        Breakers breakers,
        List<Signal> signals) {

    /**
     * The sums of everything.
     *
     * @param createdPerSec executions, in the last ten seconds
     * @param endedPerSec executions whose end workers recorded, in the last minute
     * @param flowPlaces executions that hold places of flow keys
     * @param flowLines flow keys in whose lines executions are parked
     * @param more the counts that are lower bounds
     */
    @Schema(name = "OverviewTotals")
    record Totals(
            long ready,
            long scheduled,
            long parked,
            long running,
            double createdPerSec,
            double endedPerSec,
            long slots,
            long usedSlots,
            long flowPlaces,
            long flowLines,
            List<String> more) {}

    /** The busiest queues, and how many there are. */
    @Schema(name = "OverviewQueues")
    record Queues(long total, List<QueueRow> items) {}

    /**
     * A queue.
     *
     * @param scheduled executions that wait for their time, a retry or their receiver
     * @param parked executions that wait for others of their flow key
     * @param oldestDueMs for how long the one has been due that waits for a worker for longest
     * @param more the counts that are lower bounds
     */
    @Schema(name = "OverviewQueue")
    record QueueRow(
            String name,
            int weight,
            @Schema(format = "duration") @Nullable String aging,
            boolean paused,
            @Nullable Instant pausedAt,
            @Nullable Instant pausedUntil,
            @Nullable String pauseReason,
            long ready,
            long scheduled,
            long parked,
            long running,
            long oldestDueMs,
            List<String> more) {}

    /** The workers with the most used slots, and how many there are. */
    @Schema(name = "OverviewWorkers")
    record Workers(long total, List<WorkerRow> items) {}

    /**
     * A worker process.
     *
     * @param slots attempts that it runs at a time; absent of a worker that does not tell
     * @param pressure by source, from 0 to 1
     */
    @Schema(name = "OverviewWorker")
    record WorkerRow(
            String workerId,
            String host,
            String region,
            @Nullable Integer slots,
            @Nullable Integer usedSlots,
            Map<String, Double> pressure,
            Instant startedAt,
            Instant lastHeartbeatAt) {}

    /** The busiest endpoints, and how many have been busy. */
    @Schema(name = "OverviewEndpoints")
    record Endpoints(long total, List<EndpointRow> items) {}

    /**
     * An endpoint.
     *
     * @param running calls that are under way
     * @param attempts calls that ended within the last minute
     * @param failures those of them that failed
     * @param p50Ms what half of the calls took at most, up to a tenth too high; absent when none ended
     * @param p95Ms the same for 95 of 100
     * @param places executions that hold places of its flow keys
     * @param parked executions in the lines of its flow keys
     * @param lines flow keys with such a line
     * @param tokens executions that may begin at once by its own rate; absent without such a rate, and while it is
     *     not in use
     * @param more the counts that are lower bounds
     */
    @Schema(name = "OverviewEndpoint")
    record EndpointRow(
            String name,
            int running,
            long attempts,
            long failures,
            @Nullable Double p50Ms,
            @Nullable Double p95Ms,
            Breaker.State breaker,
            long places,
            long parked,
            long lines,
            @Nullable Long tokens,
            List<String> more) {}

    /** The breakers that are not closed and the disabled endpoints that changed last, and how many there are. */
    @Schema(name = "OverviewBreakers")
    record Breakers(long total, List<BreakerRow> items) {}

    /**
     * A breaker that is not closed, or a disabled endpoint.
     *
     * @param retryAt when a delivery is tried again; absent of a disabled endpoint
     */
    @Schema(name = "OverviewBreaker")
    record BreakerRow(
            String endpoint,
            Breaker.State state,
            Instant since,
            @Nullable Instant retryAt,
            String reason) {}

    /** A signal of pressure from outside. */
    @Schema(name = "OverviewSignal")
    record Signal(String source, double value, @Nullable Long remainingMs) {}
}
