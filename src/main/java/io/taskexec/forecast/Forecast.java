package io.taskexec.forecast;

import io.taskexec.forecast.StartLimit.Kind;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The starts to be expected. Counts have two decimals.
 *
 * @param from the minute that has begun; of it only the rest counts
 * @param schedules those with a tick in this time
 * @param expressions different cron expressions of these
 * @param more what there is more of than was counted, so that counts are lower bounds: schedules, delayed
 */
@Schema(name = "Forecast")
public record Forecast(
        Instant from,
        Instant to,
        int schedules,
        int expressions,
        List<String> more,
        Endpoints endpoints,
        OverCapacity overCapacity,
        Proposals proposals) {

    /** The endpoints with the most starts, and how many have any. */
    @Schema(name = "ForecastEndpoints")
    public record Endpoints(int total, List<Endpoint> items) {}

    /**
     * An endpoint.
     *
     * @param scheduled starts of schedules
     * @param delayed starts of executions that wait for their time
     * @param historical starts of immediate jobs, if there are as many as at the same time of the last day
     * @param held starts that a disabled endpoint or a paused queue holds back, which are in no minute
     * @param meanMs the mean duration of its executions in the last day; absent when none has ended
     * @param minutes those with starts
     * @param minutesUntil from when on minutes are left out, because there are too many; absent when none is
     */
    @Schema(name = "ForecastEndpoint")
    public record Endpoint(
            String name,
            double scheduled,
            double delayed,
            double historical,
            double held,
            @Nullable Double meanMs,
            @Nullable Peak peak,
            List<StartLimit> limits,
            List<Minutes> minutes,
            @Nullable Instant minutesUntil) {}

    /** The first minute with the most starts. */
    @Schema(name = "ForecastPeak")
    public record Peak(Instant at, double expected) {}

    /**
     * Consecutive minutes, each with so many starts.
     *
     * @param at the first one
     * @param count how many minutes
     */
    @Schema(name = "ForecastMinutes")
    public record Minutes(Instant at, int count, double scheduled, double delayed, double historical) {
        boolean isLike(Minutes other) {
            return scheduled == other.scheduled && delayed == other.delayed && historical == other.historical;
        }

        Minutes longer() {
            return new Minutes(at, count + 1, scheduled, delayed, historical);
        }
    }

    /** The minutes that are over a limit by the most starts, and how many are. */
    @Schema(name = "ForecastOverCapacity")
    public record OverCapacity(long total, List<Over> items) {}

    /**
     * A minute with more starts than may begin.
     *
     * @param endpoint absent when it is the limit of a queue
     * @param queue absent when it is the limit of an endpoint
     */
    @Schema(name = "ForecastOver")
    public record Over(
            @Nullable String endpoint,
            @Nullable String queue,
            Instant at,
            double expected,
            double capacity,
            Kind limit) {}

    /** The changes to schedules; with {@code more} there are others after these. */
    @Schema(name = "ForecastProposals")
    public record Proposals(boolean more, List<Proposal> items) {}

    /**
     * Another expression for a schedule that starts together with others.
     *
     * @param queue the queue whose limit is exceeded; absent when too many start at the endpoint
     * @param at the first minute in which they start together
     * @param peakBefore the most scheduled starts in a minute in which the schedules in question start
     * @param peakAfter the same with all proposals for the endpoint or queue
     */
    @Schema(name = "ForecastProposal")
    public record Proposal(
            String jobId,
            String endpoint,
            @Nullable String queue,
            String cron,
            String proposedCron,
            String timezone,
            Instant at,
            double peakBefore,
            double peakAfter) {}

    /** The same without the minutes of endpoints. */
    public Forecast withoutMinutes() {
        var items = endpoints.items().stream()
                .map(one -> new Endpoint(
                        one.name(),
                        one.scheduled(),
                        one.delayed(),
                        one.historical(),
                        one.held(),
                        one.meanMs(),
                        one.peak(),
                        one.limits(),
                        List.of(),
                        null))
                .toList();
        return new Forecast(
                from,
                to,
                schedules,
                expressions,
                more,
                new Endpoints(endpoints.total(), items),
                overCapacity,
                proposals);
    }

    static double rounded(double count) {
        return Math.round(count * 100) / 100.0;
    }
}
