package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Holds schedules to the manual of Vixie cron, quoted from Debian's release of it (3.0pl1): cron(8) under NOTES about
 * changes of the clock; crontab(5) under EXAMPLE CRON FILE and about steps and the two fields for days.
 */
class CrontabManualTest {
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("MM-dd'T'HH:mmxxx");
    private static final DateTimeFormatter UTC = DateTimeFormatter.ofPattern("MM-dd'T'HH:mm");

    /** The examples of crontab(5); 2026 begins on a Thursday. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // "run five minutes after midnight, every day"
                "5 0 * * *      | 01-01T00:05 01-02T00:05",
                // "run at 2:15pm on the first of every month"
                "15 14 1 * *    | 01-01T14:15 02-01T14:15",
                // "run at 10 pm on weekdays"
                "0 22 * * 1-5   | 01-01T22:00 01-02T22:00 01-05T22:00",
                // "run 23 minutes after midn, 2am, 4am ..., everyday"
                "23 0-23/2 * * * | 01-01T00:23 01-01T02:23 01-01T04:23",
                // "run at 5 after 4 every sunday"
                "5 4 * * sun    | 01-04T04:05 01-11T04:05",
                // "at 4:30 am on the 1st and 15th of each month, plus every Friday"
                "30 4 1,15 * 5  | 01-01T04:30 01-02T04:30 01-09T04:30 01-15T04:30 01-16T04:30 01-23T04:30 01-30T04:30"
                        + " 02-01T04:30",
                // A field that starts with * is no restriction in later releases: the first Sunday of the month
                "0 0 1-7 * */7  | 01-04T00:00 02-01T00:00 03-01T00:00",
                // "if you want to say every two hours, just use */2"
                "0 */2 * * *    | 01-01T00:00 01-01T02:00 01-01T04:00"
            })
    void theExamplesFireAsTheManualSays(String cron, String expected) {
        var wanted = Arrays.asList(expected.split(" ", -1));
        var from = Instant.parse("2026-01-01T00:00:00Z").minusNanos(1);

        assertThat(CronSchedule.parse(cron, "UTC").preview(from, wanted.size()))
                .map(tick -> UTC.format(tick.at().atZone(ZoneOffset.UTC)))
                .isEqualTo(wanted);
    }

    /** "Those jobs which would have run in the time that was skipped will be run soon after the change." */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Europe/London    | 30 1 * * *    | 2026-03-28 | 03-28T01:30+00:00 03-29T02:00+01:00 03-30T01:30+01:00",
                "Europe/London    | 0 1 * * *     | 2026-03-29 | 03-29T02:00+01:00 03-30T01:00+01:00",
                "America/New_York | 30 2 * * SUN  | 2026-03-01 | 03-01T02:30-05:00 03-08T03:00-04:00 03-15T02:30-04:00"
            })
    void aJobInTheSkippedTimeRunsSoonAfterTheChange(String zone, String cron, String date, String expected) {
        check(zone, cron, date, expected);
    }

    /** "Those jobs that fall into the repeated time will not be re-run." */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Europe/London    | 30 1 * * *    | 2026-10-24 | 10-24T01:30+01:00 10-25T01:30+01:00 10-26T01:30+00:00",
                "America/New_York | 0,30 1 * * *  | 2026-11-01 | 11-01T01:00-04:00 11-01T01:30-04:00 11-02T01:00-05:00"
            })
    void aJobInTheRepeatedTimeIsNotRunAgain(String zone, String cron, String date, String expected) {
        check(zone, cron, date, expected);
    }

    /** "Jobs which are specified with wildcards are run based on the new time immediately." */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Europe/London    | 30 * * * *    | 2026-03-29 | 03-29T00:30+00:00 03-29T02:30+01:00 03-29T03:30+01:00",
                "Europe/London    | @hourly       | 2026-10-25 | 10-25T00:00+01:00 10-25T01:00+01:00 10-25T01:00+00:00"
                        + " 10-25T02:00+00:00",
                "America/New_York | */30 * * * *  | 2026-11-01T01:00 | 11-01T01:00-04:00 11-01T01:30-04:00"
                        + " 11-01T01:00-05:00 11-01T01:30-05:00 11-01T02:00-05:00"
            })
    void aJobWithAWildcardRunsByTheNewTime(String zone, String cron, String date, String expected) {
        check(zone, cron, date, expected);
    }

    /**
     * Debian also counts a {@code *} in the minutes as a wildcard, and changes of more than three hours as corrections
     * of the clock. Here the hour alone decides, whether the change is small or large, as docs/schedules.md says.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Europe/London | */30 1 * * *  | 2026-03-28T01:30 | 03-28T01:30+00:00 03-29T02:00+01:00"
                        + " 03-30T01:00+01:00",
                "Europe/London | */30 1 * * *  | 2026-10-25 | 10-25T01:00+01:00 10-25T01:30+01:00 10-26T01:00+00:00",
                "Pacific/Apia  | 0 9 * * *     | 2011-12-29 | 12-29T09:00-10:00 12-31T00:00+14:00 12-31T09:00+14:00"
            })
    void theHourAloneDecidesUnlikeInDebian(String zone, String cron, String date, String expected) {
        check(zone, cron, date, expected);
    }

    private static void check(String zone, String cron, String date, String expected) {
        var schedule = CronSchedule.parse(cron, zone);
        var start = LocalDateTime.parse(date.contains("T") ? date : date + "T00:00");
        var from = ZonedDateTime.of(start, schedule.zone()).toInstant().minusNanos(1);
        var wanted = Arrays.asList(expected.split(" ", -1));

        assertThat(schedule.preview(from, wanted.size()))
                .map(tick -> LOCAL.format(tick.at().atZone(schedule.zone())))
                .isEqualTo(wanted);
    }
}
