package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares schedules with somebody who looks at a clock on the wall every minute. */
class ScheduleScanTest {
    private static final int CASES = Integer.getInteger("taskexec.schedule.cases", 1_000);
    private static final int MINUTES_IN_DAY = 24 * 60;

    /** Watched before and after, so that an overlap at an end of the stretch is seen whole. */
    private static final int MARGIN = 2 * MINUTES_IN_DAY;

    private static final List<String> ZONES = ZoneId.getAvailableZoneIds().stream()
            .filter(zone -> !zone.startsWith("SystemV"))
            .sorted()
            .toList();

    @Test
    void ticksAreStrictlyIncreasingMatchAndNoneIsMissing() {
        var seed = Long.getLong("taskexec.schedule.seed", System.nanoTime());
        System.out.printf("ScheduleScanTest: %d cases, -Dtaskexec.schedule.seed=%d%n", CASES, seed);
        var random = new Random(seed);
        var ticks = 0;
        for (var round = 0; round < CASES; round++) {
            ticks += checkOne(random, "seed " + seed + ", round " + round);
        }
        System.out.printf("ScheduleScanTest: %d ticks compared%n", ticks);
        assertThat(ticks).isGreaterThan(CASES);
    }

    private static int checkOne(Random random, String name) {
        var cron = RandomCron.of(random);
        if (!cron.everFires()) {
            assertThatThrownBy(() -> CronSchedule.parse(cron.text(), "UTC"))
                    .as("%s: %s", name, cron.text())
                    .hasMessageEndingWith("never fires: there is no such day");
            return 0;
        }
        var zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
        var policy = new DstPolicy(pick(random, DstPolicy.Gap.values()), pick(random, DstPolicy.Overlap.values()));
        var from = start(random, zone);
        var days = 1 + random.nextInt(12);
        var schedule = CronSchedule.parse(cron.text(), zone.getId()).with(policy);

        var seen = watch(cron, zone, policy, from, days);
        var ticks = schedule.between(
                from.minusNanos(1), from.plus(Duration.ofDays(days)).minusNanos(1), days * MINUTES_IN_DAY + 1);

        assertThat(ticks)
                .as("%s: %s in %s from %s with %s", name, cron.text(), zone, from, policy)
                .isEqualTo(seen);
        return ticks.size();
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
    private static List<Instant> watch(RandomCron cron, ZoneId zone, DstPolicy policy, Instant from, int days) {
        var first = from.minus(Duration.ofMinutes(MARGIN));
        var shown = new LocalDateTime[days * MINUTES_IN_DAY + 2 * MARGIN];
        for (var i = 0; i < shown.length; i++) {
            shown[i] = LocalDateTime.ofInstant(first.plusSeconds(60L * i), zone);
        }
        var isNew = neverShownBefore(shown);
        var isLast = neverShownAgain(shown);
        var fired = new ArrayList<Instant>();
        for (var i = MARGIN; i < shown.length - MARGIN; i++) {
            var fires = cron.matches(shown[i]) && (cron.everyHour() || counts(policy.overlap(), isNew[i], isLast[i]));
            var shifts = !cron.everyHour() && policy.gap() == DstPolicy.Gap.SHIFT && matchSkipped(cron, shown, i);
            if (fires || shifts) {
                fired.add(first.plusSeconds(60L * i));
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
