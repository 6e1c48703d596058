package io.taskexec.forecast;

import static io.taskexec.forecast.Forecast.rounded;

import io.taskexec.forecast.Forecast.Endpoint;
import io.taskexec.forecast.Forecast.Minutes;
import io.taskexec.forecast.Forecast.Over;
import io.taskexec.forecast.Forecast.Peak;
import io.taskexec.forecast.StartLimit.Kind;
import io.taskexec.store.forecast.DelayedStarts.Counted;
import io.taskexec.store.forecast.DelayedStarts.InMinutes;
import io.taskexec.store.forecast.PastStarts;
import io.taskexec.store.forecast.PastStarts.Past;
import io.taskexec.store.forecast.StartLimits.OfEndpoint;
import io.taskexec.store.forecast.StartLimits.OfQueue;
import io.taskexec.store.job.PlannedSchedules.Planned;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Computes a forecast from what was read. It takes one endpoint after the other, so that few minutes are in memory. */
final class StartForecast {
    /** Minutes over capacity that are listed. */
    private static final int MOST_OVER = 200;

    /** Entries of minutes in one answer, with equal parts for all endpoints: three megabytes. */
    static final int MOST_MINUTES = 30_000;

    private static final long HOUR_MINUTES = Duration.ofHours(1).toMinutes();
    private static final long MINUTE_SECONDS = Duration.ofMinutes(1).toSeconds();

    private final Known known;
    private final Horizon horizon;
    private final ScheduleStarts starts;
    private final EarliestStarts earliestStarts;
    private final Map<String, OfEndpoint> endpointLimits;
    private final Spread spread;
    private final Largest<Loaded> endpoints;
    private final Largest<Over> over =
            new Largest<>(MOST_OVER, Comparator.comparingDouble(one -> one.expected() - one.capacity()));

    /** @param most endpoints that are shown */
    StartForecast(Known known, int hours, int most) {
        this.known = known;
        this.horizon = Horizon.of(known.now(), hours);
        this.starts = new ScheduleStarts(horizon);
        this.earliestStarts = new EarliestStarts(horizon, known.endpoints(), known.queues());
        this.endpointLimits =
                known.endpoints().stream().collect(Collectors.toMap(OfEndpoint::endpoint, Function.identity()));
        this.spread = new Spread(horizon, starts, one -> earliestStarts.of(one.endpoint(), one.queueId()));
        this.endpoints = new Largest<>(
                most, Comparator.comparingDouble(Loaded::total).thenComparing(Loaded::name, Comparator.reverseOrder()));
    }

    /**
     * The schedules, the counts and the limits that were read.
     *
     * @param hasMoreSchedules whether there are more than these
     */
    record Known(
            Instant now,
            List<Planned> schedules,
            boolean hasMoreSchedules,
            Counted delayed,
            List<Past> past,
            List<OfEndpoint> endpoints,
            List<OfQueue> queues) {}

    /** An endpoint with its counts. */
    private record Loaded(
            String name,
            StartCounts counts,
            double total,
            @Nullable Double meanMs,
            List<StartLimit> limits) {}

    /** @param endpoint null for all, and for the limits of queues */
    Forecast of(@Nullable String endpoint) {
        targets(known.queues().stream().collect(Collectors.toMap(OfQueue::id, Function.identity())), endpoint)
                .forEach(this::add);
        var shown = endpoints.items();
        return new Forecast(
                horizon.start(),
                horizon.end(),
                known.schedules().size(),
                starts.expressions(),
                more(),
                new Forecast.Endpoints(
                        Math.toIntExact(endpoints.total()),
                        shown.stream()
                                .map(one -> view(one, MOST_MINUTES / shown.size()))
                                .toList()),
                new Forecast.OverCapacity(over.total(), over.items()),
                new Forecast.Proposals(spread.hasMore(), spread.proposals()));
    }

    private List<String> more() {
        var more = new ArrayList<String>();
        if (known.delayed().isPart()) {
            more.add("delayed");
        }
        if (known.hasMoreSchedules() || starts.isPart()) {
            more.add("schedules");
        }
        return more;
    }

    /** The endpoints, and then the queues that have limits. */
    private List<ForecastTarget> targets(Map<Integer, OfQueue> queues, @Nullable String endpoint) {
        var endpoints = new TreeMap<String, ForecastTarget>();
        var limited = new TreeMap<Integer, ForecastTarget>();
        Function<String, @Nullable ForecastTarget> ofEndpoint = name -> endpoint == null || endpoint.equals(name)
                ? endpoints.computeIfAbsent(name, _ -> ForecastTarget.of(name, false))
                : null;
        Function<Integer, @Nullable ForecastTarget> ofQueue = id -> {
            var queue = queues.get(id);
            return endpoint == null && queue != null && isLimited(queue)
                    ? limited.computeIfAbsent(id, _ -> ForecastTarget.of(queue.name(), true))
                    : null;
        };
        known.schedules().forEach(one -> {
            put(ofEndpoint.apply(one.endpoint()), ForecastTarget::schedules, one);
            put(ofQueue.apply(one.queueId()), ForecastTarget::schedules, one);
        });
        known.delayed().minutes().forEach(one -> {
            put(ofEndpoint.apply(one.endpoint()), ForecastTarget::delayed, one);
            put(ofQueue.apply(one.queueId()), ForecastTarget::delayed, one);
        });
        known.past().forEach(one -> {
            put(ofEndpoint.apply(one.endpoint()), ForecastTarget::past, one);
            put(ofQueue.apply(one.queueId()), ForecastTarget::past, one);
        });
        var all = new ArrayList<>(endpoints.values());
        all.addAll(limited.values());
        return all;
    }

    private static boolean isLimited(OfQueue queue) {
        return queue.maxConcurrency() != null || queue.rate() != null;
    }

    private static <T> void put(@Nullable ForecastTarget target, Function<ForecastTarget, List<T>> list, T item) {
        if (target != null) {
            list.apply(target).add(item);
        }
    }

    private void add(ForecastTarget target) {
        var counts = count(target);
        var expected = counts.expected();
        var total = StartCounts.total(expected);
        if (total + counts.held() <= 0) {
            return;
        }
        var limits = limits(target);
        var minutes = new BitSet();
        for (var limit : limits) {
            for (var excess : limit.excess(expected)) {
                minutes.set(excess.minute());
                over.add(new Over(
                        target.endpoint(),
                        target.queue(),
                        horizon.at(excess.minute()),
                        rounded(excess.expected()),
                        rounded(excess.capacity()),
                        limit.kind()));
            }
        }
        spread.propose(target, counts, minutes);
        if (!target.isQueue()) {
            endpoints.add(new Loaded(target.name(), counts, total, target.meanMs(), limits));
        }
    }

    private StartCounts count(ForecastTarget target) {
        var counts = new StartCounts(horizon.minutes());
        target.schedules()
                .forEach(one -> starts.add(
                        one, counts.into(counts.scheduled(), earliestStarts.of(one.endpoint(), one.queueId()))));
        target.delayed().forEach(one -> addDelayed(one, counts));
        target.past().forEach(one -> addPast(one, counts));
        return counts;
    }

    private void addDelayed(InMinutes some, StartCounts counts) {
        var into = counts.into(counts.delayed(), earliestStarts.of(some.endpoint(), some.queueId()));
        var start = horizon.start().getEpochSecond() / MINUTE_SECONDS;
        var each = some.starts() / (some.last() - some.first() + 1);
        for (var minute = some.first(); minute <= some.last(); minute++) {
            into.add((minute - start) * Horizon.MINUTE_MS, each);
        }
    }

    /** As many as in that hour of the day before, in each of its minutes on each day. */
    private void addPast(Past past, StartCounts counts) {
        var into = counts.into(counts.historical(), earliestStarts.of(past.endpoint(), past.queueId()));
        var day = PastStarts.HOURS * HOUR_MINUTES;
        for (var hour = past.hour() * HOUR_MINUTES; past.perMinute() > 0 && hour < horizon.minutes(); hour += day) {
            var end = Math.min(hour + HOUR_MINUTES, horizon.minutes());
            for (var minute = hour; minute < end; minute++) {
                into.add(minute * Horizon.MINUTE_MS, past.perMinute());
            }
        }
    }

    private List<StartLimit> limits(ForecastTarget target) {
        var limits = new ArrayList<StartLimit>();
        var meanMs = target.meanMs();
        if (target.isQueue()) {
            known.queues().stream()
                    .filter(queue -> queue.name().equals(target.name()))
                    .forEach(queue -> {
                        if (queue.rate() != null) {
                            limits.add(StartLimit.of(queue.rate()));
                        }
                        if (queue.maxConcurrency() != null) {
                            limits.add(StartLimit.cap(Kind.MAX_CONCURRENCY, queue.maxConcurrency(), meanMs));
                        }
                    });
            return limits;
        }
        var found = endpointLimits.get(target.name());
        if (found != null && found.rate() != null) {
            limits.add(StartLimit.of(found.rate()));
        }
        if (found != null && found.maxConcurrency() != null) {
            limits.add(StartLimit.cap(Kind.MAX_CONCURRENCY, found.maxConcurrency(), meanMs));
        }
        if (found != null && found.adaptiveLimit() != null) {
            limits.add(StartLimit.cap(Kind.ADAPTIVE_LIMIT, found.adaptiveLimit(), meanMs));
        }
        return limits;
    }

    private Endpoint view(Loaded one, int most) {
        var counts = one.counts();
        var minutes = minutes(counts);
        var isCut = minutes.size() > most;
        return new Endpoint(
                one.name(),
                rounded(StartCounts.total(counts.scheduled())),
                rounded(StartCounts.total(counts.delayed())),
                rounded(StartCounts.total(counts.historical())),
                rounded(counts.held()),
                one.meanMs() == null ? null : rounded(one.meanMs()),
                peak(counts.expected()),
                one.limits(),
                isCut ? List.copyOf(minutes.subList(0, most)) : minutes,
                isCut ? minutes.get(most).at() : null);
    }

    private @Nullable Peak peak(double[] expected) {
        var peak = 0;
        for (var minute = 1; minute < expected.length; minute++) {
            peak = expected[minute] > expected[peak] ? minute : peak;
        }
        return expected[peak] <= 0 ? null : new Peak(horizon.at(peak), rounded(expected[peak]));
    }

    private List<Minutes> minutes(StartCounts counts) {
        var found = new ArrayList<Minutes>();
        @Nullable Minutes last = null;
        for (var i = 0; i < horizon.minutes(); i++) {
            var next = new Minutes(
                    horizon.at(i),
                    1,
                    rounded(counts.scheduled()[i]),
                    rounded(counts.delayed()[i]),
                    rounded(counts.historical()[i]));
            if (next.scheduled() + next.delayed() + next.historical() <= 0) {
                last = null;
            } else if (last != null && last.isLike(next)) {
                last = last.longer();
                found.set(found.size() - 1, last);
            } else {
                last = next;
                found.add(last);
            }
        }
        return found;
    }
}
