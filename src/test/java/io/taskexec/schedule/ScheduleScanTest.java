package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.job.DstPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Compares schedules with somebody who looks at a clock on the wall every minute. {@code -Dtaskexec.schedule.seed}
 * repeats the expressions of another run, {@code -Dtaskexec.schedule.case} one of them, and
 * {@code -Dtaskexec.schedule.cases} makes it longer.
 */
class ScheduleScanTest {
    private static final int CASES = Integer.getInteger("taskexec.schedule.cases", 5_000);
    private static final long SEED = Long.getLong("taskexec.schedule.seed", System.nanoTime());
    private static final int MINUTES_IN_DAY = 24 * 60;
    private static final int ASKED_IN_BETWEEN = 10;

    /** Watched before and after, so that an overlap at an end of the stretch is seen whole. */
    private static final int MARGIN = 2 * MINUTES_IN_DAY;

    /** By half an hour, by a quarter, around Ramadan, by a whole day, at midnight, and as usual. */
    private static final List<String> CHANGING = List.of(
            "Australia/Lord_Howe",
            "Asia/Kathmandu",
            "Africa/Casablanca",
            "Pacific/Apia",
            "Africa/Cairo",
            "Europe/Berlin",
            "America/New_York");

    private static final List<String> ZONES = ZoneId.getAvailableZoneIds().stream()
            .filter(zone -> !zone.startsWith("SystemV"))
            .sorted()
            .toList();

    private int ticksSeen;
    private int neverFiring;
    private int hashed;
    private int withChange;

    @Test
    void ticksAreStrictlyIncreasingMatchAndNoneIsMissing() {
        var single = Long.getLong("taskexec.schedule.case");
        if (single != null) {
            checkOne(single);
            return;
        }
        System.out.printf("ScheduleScanTest: -Dtaskexec.schedule.seed=%d%n", SEED);
        new Random(SEED).longs(CASES).forEach(this::checkOne);
        System.out.printf(
                "ScheduleScanTest: %d expressions (%d with H, %d that never fire, %d through a change of the clock),"
                        + " %d ticks compared%n",
                CASES, hashed, neverFiring, withChange, ticksSeen);
        assertThat(ticksSeen).isGreaterThan(CASES);
    }

    private void checkOne(long caseSeed) {
        var random = new Random(caseSeed);
        var cron = RandomCron.of(random);
        var name = "-Dtaskexec.schedule.case=" + caseSeed + ": " + cron.text();
        hashed += cron.text().matches(".*\\bH\\b.*") ? 1 : 0;
        if (!cron.everFires()) {
            neverFiring++;
            assertThatThrownBy(() -> CronSchedule.parse(cron.text(), "UTC", cron.seed()))
                    .as(name)
                    .hasMessageEndingWith("never fires: there is no such day");
            return;
        }
        var zones = random.nextInt(3) == 0 ? CHANGING : ZONES;
        var zone = ZoneId.of(zones.get(random.nextInt(zones.size())));
        var policy = new DstPolicy(pick(random, DstPolicy.Gap.values()), pick(random, DstPolicy.Overlap.values()));
        var from = start(random, zone);
        var end = from.plus(Duration.ofDays(1 + random.nextInt(8)));
        var schedule =
                CronSchedule.parse(cron.text(), zone.getId(), cron.seed()).with(policy);

        var seen = watch(cron, zone, policy, from, end);

        var what = "%s in %s from %s with %s".formatted(name, zone, from, policy);
        assertThat(ticks(schedule, from, end)).as(what).isEqualTo(seen);
        for (var i = 0; i < ASKED_IN_BETWEEN; i++) {
            var after =
                    from.plusMillis(random.nextLong(Duration.between(from, end).toMillis()));
            seen.stream()
                    .filter(tick -> tick.at().isAfter(after))
                    .findFirst()
                    .ifPresent(next -> assertThat(schedule.nextTick(after))
                            .as("%s, after %s", what, after)
                            .isEqualTo(next));
        }
        ticksSeen += seen.size();
        var change = zone.getRules().nextTransition(from);
        withChange += change != null && change.getInstant().isBefore(end) ? 1 : 0;
    }

    private static List<Tick> ticks(Schedule schedule, Instant from, Instant end) {
        var ticks = new ArrayList<Tick>();
        var tick = schedule.nextTick(from.minusNanos(1));
        while (tick != null && tick.at().isBefore(end)) {
            ticks.add(tick);
            tick = schedule.nextTick(tick.at());
        }
        return ticks;
    }

    /** Half of the time shortly before the clock is changed. */
    private static Instant start(Random random, ZoneId zone) {
        var any = Instant.parse("1975-01-01T00:00:00Z")
                .plus(Duration.ofMinutes(random.nextInt(65 * 365 * MINUTES_IN_DAY)));
        var change = zone.getRules().nextTransition(any);
        return change == null || random.nextBoolean()
                ? any
                : change.getInstant().minus(Duration.ofMinutes(random.nextInt(MINUTES_IN_DAY)));
    }

    /** What the one who looks at the clock writes down; knows nothing of rules, only what the clock shows. */
    private static List<Tick> watch(RandomCron cron, ZoneId zone, DstPolicy policy, Instant from, Instant end) {
        var first = from.minus(Duration.ofMinutes(MARGIN));
        var shown = new LocalDateTime[(int) Duration.between(from, end).toMinutes() + 2 * MARGIN];
        for (var i = 0; i < shown.length; i++) {
            shown[i] = LocalDateTime.ofInstant(first.plusSeconds(60L * i), zone);
        }
        var isNew = neverShownBefore(shown);
        var isLast = neverShownAgain(shown);
        var fired = new ArrayList<Tick>();
        for (var i = MARGIN; i < shown.length - MARGIN; i++) {
            var fires = cron.matches(shown[i]) && (cron.everyHour() || counts(policy.overlap(), isNew[i], isLast[i]));
            var shifts = !cron.everyHour() && policy.gap() == DstPolicy.Gap.SHIFT && matchSkipped(cron, shown, i);
            if (fires || shifts) {
                var repeated = isNew[i] && isLast[i] ? Set.<Tick.Flag>of() : Set.of(Tick.Flag.REPEATED);
                fired.add(new Tick(first.plusSeconds(60L * i), shifts ? Set.of(Tick.Flag.GAP) : repeated));
            }
        }
        return fired;
    }

    private static boolean counts(DstPolicy.Overlap overlap, boolean isNew, boolean isLast) {
        return switch (overlap) {
            case FIRST -> isNew;
            case SECOND -> isLast;
            case BOTH -> true;
        };
    }

    private static boolean matchSkipped(RandomCron cron, LocalDateTime[] shown, int index) {
        for (var time = shown[index - 1].plusMinutes(1); time.isBefore(shown[index]); time = time.plusMinutes(1)) {
            if (cron.matches(time)) {
                return true;
            }
        }
        return false;
    }

    private static boolean[] neverShownBefore(LocalDateTime[] shown) {
        var answer = new boolean[shown.length];
        var latest = LocalDateTime.MIN;
        for (var i = 0; i < shown.length; i++) {
            answer[i] = shown[i].isAfter(latest);
            latest = answer[i] ? shown[i] : latest;
        }
        return answer;
    }

    private static boolean[] neverShownAgain(LocalDateTime[] shown) {
        var answer = new boolean[shown.length];
        var earliest = LocalDateTime.MAX;
        for (var i = shown.length - 1; i >= 0; i--) {
            answer[i] = shown[i].isBefore(earliest);
            earliest = answer[i] ? shown[i] : earliest;
        }
        return answer;
    }

    /** No leap day of 2100 comes between 2088 and 2128. */
    @Test
    void leapDaysOnASundayAreDecadesApart() {
        var schedule = CronSchedule.parse("0 0 29 2 */7", "UTC");

        assertThat(schedule.between(Instant.parse("1950-01-01T00:00:00Z"), Schedule.LATEST, 8))
                .map(at -> at.atOffset(ZoneOffset.UTC).getYear())
                .containsExactly(1976, 2004, 2032, 2060, 2088, 2128, 2156, 2184);
    }

    private static <T> T pick(Random random, T[] values) {
        return values[random.nextInt(values.length)];
    }
}
