package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Days as the calendar has them; 2026 begins on a Thursday. */
class CronDaysTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            29 2 *         | 2026-01-01 | 2028-02-29 2032-02-29 2036-02-29
            29 2 *         | 2096-02-29 | 2104-02-29 2108-02-29
            29 2 *         | 1896-01-01 | 1896-02-29 1904-02-29
            29 2 *         | 1996-01-01 | 1996-02-29 2000-02-29 2004-02-29
            28-29 2 *      | 2027-01-01 | 2027-02-28 2028-02-28 2028-02-29 2029-02-28
            L 2 *          | 2099-01-01 | 2099-02-28 2100-02-28 2101-02-28 2102-02-28 2103-02-28 2104-02-29
            L-28 2 *       | 2026-01-01 | 2028-02-01 2032-02-01
            29W 2 *        | 2026-01-01 | 2028-02-29 2032-02-27 2036-02-29
            * 2 SUN#5      | 2026-01-01 | 2032-02-29 2060-02-29 2088-02-29 2128-02-29
            """)
    void daysOfFebruaryFollowLeapYears(String days, String from, String expected) {
        assertDays(days, from, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            31 * *         | 2026-01-01 | 2026-01-31 2026-03-31 2026-05-31 2026-07-31 2026-08-31
            L * *          | 2026-01-01 | 2026-01-31 2026-02-28 2026-03-31 2026-04-30
            L 2 *          | 2026-01-01 | 2026-02-28 2027-02-28 2028-02-29
            L-2 * *        | 2026-01-01 | 2026-01-29 2026-02-26 2026-03-29
            L-30 * *       | 2026-01-01 | 2026-01-01 2026-03-01 2026-05-01
            LW * *         | 2026-01-01 | 2026-01-30 2026-02-27 2026-03-31 2026-04-30 2026-05-29
            15W * *        | 2026-01-01 | 2026-01-15 2026-02-16 2026-03-16 2026-04-15 2026-05-15
            1W * *         | 2026-01-01 | 2026-01-01 2026-02-02 2026-03-02 2026-04-01
            1W 8 *         | 2026-01-01 | 2026-08-03 2027-08-02 2028-08-01
            31W * *        | 2026-01-01 | 2026-01-30 2026-03-31 2026-05-29 2026-07-31
            L,15W * *      | 2026-01-01 | 2026-01-15 2026-01-31 2026-02-16 2026-02-28
            1 JAN,JUL *    | 2026-01-01 | 2026-01-01 2026-07-01 2027-01-01
            1 */5 *        | 2026-01-01 | 2026-01-01 2026-06-01 2026-11-01 2027-01-01
            """)
    void daysOfTheMonthFollowCrontab(String days, String from, String expected) {
        assertDays(days, from, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            * * MON#1      | 2026-01-01 | 2026-01-05 2026-02-02 2026-03-02
            * * mon#5      | 2026-01-01 | 2026-03-30 2026-06-29 2026-08-31
            * * 7#1        | 2026-01-01 | 2026-01-04 2026-02-01 2026-03-01
            * * FRIL       | 2026-01-01 | 2026-01-30 2026-02-27 2026-03-27
            * * MON#1,FRIL | 2026-01-01 | 2026-01-05 2026-01-30 2026-02-02
            * * 0          | 2026-01-01 | 2026-01-04 2026-01-11
            * * 7          | 2026-01-01 | 2026-01-04 2026-01-11
            * * SAT-SUN    | 2026-01-01 | 2026-01-03 2026-01-04 2026-01-10
            * * SUN-MON    | 2026-01-01 | 2026-01-04 2026-01-05 2026-01-11
            * * 5-7        | 2026-01-01 | 2026-01-02 2026-01-03 2026-01-04 2026-01-09
            * * SUN-0      | 2026-01-01 | 2026-01-04 2026-01-11
            * * 0-SUN      | 2026-01-01 | 2026-01-04 2026-01-11
            * * SUN-SUN    | 2026-01-01 | 2026-01-04 2026-01-11
            * * SUN-7      | 2026-01-01 | 2026-01-01 2026-01-02 2026-01-03
            * * MON-SUN    | 2026-01-01 | 2026-01-01 2026-01-02 2026-01-03 2026-01-04 2026-01-05
            * * SUN/2      | 2026-01-01 | 2026-01-01 2026-01-03 2026-01-04 2026-01-06
            * * SUN-FRI/5  | 2026-01-01 | 2026-01-02 2026-01-04 2026-01-09
            * * SUN#1,SUNL | 2026-01-01 | 2026-01-04 2026-01-25 2026-02-01
            * * SUN-SAT    | 2026-01-03 | 2026-01-03 2026-01-04 2026-01-05
            * * 6-0        | 2026-01-01 | 2026-01-03 2026-01-04 2026-01-10
            * * */2        | 2026-01-01 | 2026-01-01 2026-01-03 2026-01-04 2026-01-06
            """)
    void daysOfTheWeekFollowCrontab(String days, String from, String expected) {
        assertDays(days, from, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            29 2 MON       | 2028-02-01 | 2028-02-07 2028-02-14 2028-02-21 2028-02-28 2028-02-29 2029-02-05
            13 * FRI       | 2026-01-01 | 2026-01-02 2026-01-09 2026-01-13 2026-01-16
            1-7 * MON      | 2026-01-02 | 2026-01-02 2026-01-03 2026-01-04 2026-01-05 2026-01-06 2026-01-07 2026-01-12
            */2 * MON      | 2026-01-01 | 2026-01-05 2026-01-19 2026-02-09
            1,15 * */3     | 2026-01-01 | 2026-02-01 2026-02-15 2026-03-01
            """)
    void daysOfMonthAndWeekAreJoinedAsInCrontab(String days, String from, String expected) {
        assertDays(days, from, expected);
    }

    private static void assertDays(String days, String from, String expected) {
        var schedule = CronSchedule.parse("0 0 " + days, "UTC");
        var wanted = Arrays.asList(expected.split(" ", -1));
        var start = Instant.parse(from + "T00:00:00Z").minusNanos(1);
        if (from.endsWith("02-29")) {
            start = start.plusNanos(1);
        }

        assertThat(schedule.preview(start, wanted.size()))
                .map(tick -> tick.at().atOffset(ZoneOffset.UTC).toLocalDate().toString())
                .isEqualTo(wanted);
    }

    @Test
    void theNextTickIsStrictlyAfter() {
        var schedule = CronSchedule.parse("0 9 * * *", "UTC");
        var nine = Instant.parse("2026-01-01T09:00:00Z");

        assertThat(schedule.next(nine.minusNanos(1))).isEqualTo(nine);
        assertThat(schedule.next(nine)).isEqualTo("2026-01-02T09:00:00Z");
        assertThat(schedule.next(nine.plusMillis(1))).isEqualTo("2026-01-02T09:00:00Z");
    }

    @Test
    void ticksEndWithTheYear9999() {
        var schedule = CronSchedule.parse("0 0 31 12 *", "Europe/Berlin");

        assertThat(schedule.next(Instant.parse("9999-12-01T00:00:00Z"))).isEqualTo("9999-12-30T23:00:00Z");
        assertThat(schedule.next(Instant.parse("9999-12-30T23:00:00Z"))).isNull();
        assertThat(schedule.next(Instant.MAX)).isNull();
        assertThat(CronSchedule.parse("* * * * *", "UTC").next(Instant.MIN)).isEqualTo("0000-01-01T00:00:00Z");
        assertThat(schedule.next(Instant.MIN)).isNotNull();
    }

    @Test
    void betweenTakesTheEndAndLeavesTheStart() {
        var schedule = CronSchedule.parse("*/10 * * * *", "UTC");
        var from = Instant.parse("2026-01-01T00:00:00Z");

        assertThat(schedule.between(from, from.plusSeconds(1800), 100))
                .containsExactly(from.plusSeconds(600), from.plusSeconds(1200), from.plusSeconds(1800));
        assertThat(schedule.between(from, from.plusSeconds(1800), 2)).hasSize(2);
        assertThat(schedule.between(from, from, 100)).isEmpty();
    }
}
