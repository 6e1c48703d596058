package io.taskexec.schedule;

import static io.taskexec.schedule.InvalidScheduleException.quoted;

import io.taskexec.model.job.DstPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneRulesProvider;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cron expression in a time zone. */
public final class CronSchedule implements Schedule {
    /** The longest expression, in characters. */
    public static final int MAX_LENGTH = 255;

    /** Longer than any clock was ever put back by. */
    private static final Duration AROUND_CHANGE = Duration.ofHours(25);

    private static final LocalDateTime ANY_TIME = LocalDateTime.of(2000, 1, 1, 0, 0);

    private final ZoneId zone;
    private final DstPolicy policy;
    private final CronFields fields;
    private final ClockTicks ticks;

    private CronSchedule(ZoneId zone, DstPolicy policy, CronFields fields, LocalTimes times) {
        this.zone = zone;
        this.policy = policy;
        this.fields = fields;
        var everyHour = fields.hour().startsWithStar();
        this.ticks = new ClockTicks(times, zone.getRules(), everyHour ? DstPolicy.ELAPSED : policy);
    }

    /** With 0 as the seed of {@code H}. Throws InvalidScheduleException. */
    public static CronSchedule parse(String expression, String zone) {
        return parse(expression, zone, 0);
    }

    /**
     * Throws InvalidScheduleException.
     *
     * @param zone the name of a zone in the tz database
     * @param seed decides the values of {@code H}
     */
    public static CronSchedule parse(String expression, String zone, long seed) {
        if (expression.length() > MAX_LENGTH) {
            throw new InvalidScheduleException("The cron expression is longer than " + MAX_LENGTH + " characters");
        }
        var fields = CronFields.parse(expression, seed);
        var times = new LocalTimes(fields);
        if (times.atOrAfter(ANY_TIME) == null) {
            throw new InvalidScheduleException(
                    "The cron expression " + quoted(expression) + " never fires: there is no such day");
        }
        return new CronSchedule(Zones.named(zone), DstPolicy.DEFAULT, fields, times);
    }

    /** The version of the rules of time zones in this runtime, as in {@code 2026a}. */
    public static String timeZoneRules() {
        return ZoneRulesProvider.getVersions("UTC").lastEntry().getKey();
    }

    /** The same schedule with another policy. */
    public CronSchedule with(DstPolicy other) {
        return new CronSchedule(zone, other, fields, ticks.times());
    }

    /** The expression in five plain fields: macros and {@code H} are expanded. */
    public String normalized() {
        return fields.text();
    }

    public ZoneId zone() {
        return zone;
    }

    public DstPolicy policy() {
        return policy;
    }

    @Override
    public @Nullable Tick nextTick(Instant after) {
        return ticks.next(after);
    }

    @Override
    public List<Instant> suppressed(Instant from, Instant to) {
        if (fields.hour().startsWithStar()) {
            return List.of();
        }
        var rules = zone.getRules();
        var suppressed = new ArrayList<Instant>();
        for (var change = rules.nextTransition(from.minus(AROUND_CHANGE));
                change != null && change.getInstant().minus(AROUND_CHANGE).isBefore(to);
                change = rules.nextTransition(change.getInstant())) {
            suppressed.addAll(suppressedAround(change.getInstant(), from, to));
        }
        return suppressed;
    }

    private List<Instant> suppressedAround(Instant change, Instant from, Instant to) {
        var start = change.minus(AROUND_CHANGE);
        var end = change.plus(AROUND_CHANGE);
        return with(DstPolicy.EVERY_TIME)
                .between(start.isAfter(from) ? start : from, end.isBefore(to) ? end : to, Integer.MAX_VALUE)
                .stream()
                .filter(at -> at.isBefore(to) && !at.equals(next(at.minusNanos(1))))
                .toList();
    }

    @Override
    public String describe() {
        return new CronWords(fields).text() + " (" + zone + ")";
    }

    @Override
    public String toString() {
        return normalized() + " " + zone;
    }
}
