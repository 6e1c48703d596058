package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.DstPolicy;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tables of changes of the clock, written from the published rules of the zones, as local times with their offsets; the
 * first test checks that this runtime's rules are the same.
 */
class DstTableTest {
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("MM-dd'T'HH:mmxxx");

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin,       2026-03-29T01:59, +01:00, 2026-03-29T03:00, +02:00",
        "Europe/Berlin,       2026-10-25T02:59, +02:00, 2026-10-25T02:00, +01:00",
        "America/New_York,    2026-03-08T01:59, -05:00, 2026-03-08T03:00, -04:00",
        "America/New_York,    2026-11-01T01:59, -04:00, 2026-11-01T01:00, -05:00",
        "Australia/Lord_Howe, 2026-10-04T01:59, +10:30, 2026-10-04T02:30, +11:00",
        "Australia/Lord_Howe, 2026-04-05T01:59, +11:00, 2026-04-05T01:30, +10:30",
        "Africa/Casablanca,   2024-03-10T02:59, +01:00, 2024-03-10T02:00, +00:00",
        "Africa/Casablanca,   2024-04-14T01:59, +00:00, 2024-04-14T03:00, +01:00",
        "Africa/Casablanca,   2025-02-23T02:59, +01:00, 2025-02-23T02:00, +00:00",
        "Africa/Casablanca,   2025-04-06T01:59, +00:00, 2025-04-06T03:00, +01:00",
        "Africa/Casablanca,   2026-02-15T02:59, +01:00, 2026-02-15T02:00, +00:00",
        "Africa/Casablanca,   2026-03-22T01:59, +00:00, 2026-03-22T03:00, +01:00",
        "Pacific/Apia,        2011-12-29T23:59, -10:00, 2011-12-31T00:00, +14:00",
        "Pacific/Apia,        2012-04-01T03:59, +14:00, 2012-04-01T03:00, +13:00",
        "Pacific/Apia,        2012-09-30T02:59, +13:00, 2012-09-30T04:00, +14:00",
        "Africa/Cairo,        2026-04-23T23:59, +02:00, 2026-04-24T01:00, +03:00",
        "Africa/Cairo,        2026-10-29T23:59, +03:00, 2026-10-29T23:00, +02:00",
        "America/Sao_Paulo,   2018-11-03T23:59, -03:00, 2018-11-04T01:00, -02:00",
        "America/Sao_Paulo,   2019-02-16T23:59, -02:00, 2019-02-16T23:00, -03:00",
        "Asia/Kathmandu,      1985-12-31T23:59, +05:30, 1986-01-01T00:15, +05:45"
    })
    void theRuntimeKnowsTheChangesOfTheTables(String zone, String last, String before, String first, String after) {
        var minute = Instant.parse(last + ":00" + before);

        assertThat(minute.atZone(ZoneId.of(zone)).toLocalDateTime()).isEqualTo(LocalDateTime.parse(last));
        assertThat(minute.plusSeconds(60).atZone(ZoneId.of(zone)).toOffsetDateTime())
                .hasToString(first + after.replace("+00:00", "Z"));
    }

    /** The clock shows none of the times in the gap, so they fire at the first instant after it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Europe/Berlin       | 30 2 * * *     | 2026-03-28 | 03-28T02:30+01:00 03-29T03:00+02:00"
                        + " 03-30T02:30+02:00",
                "Europe/Berlin       | 0 2 * * *      | 2026-03-28 | 03-28T02:00+01:00 03-29T03:00+02:00"
                        + " 03-30T02:00+02:00",
                "Europe/Berlin       | 0 3 * * *      | 2026-03-28 | 03-28T03:00+01:00 03-29T03:00+02:00"
                        + " 03-30T03:00+02:00",
                "Europe/Berlin       | 15,45 2 * * *  | 2026-03-29 | 03-29T03:00+02:00 03-30T02:15+02:00",
                "Europe/Berlin       | 0 2,3,4 * * *  | 2026-03-29 | 03-29T03:00+02:00 03-29T04:00+02:00"
                        + " 03-30T02:00+02:00",
                "Europe/Berlin       | 30 0-23 * * *  | 2026-03-29 | 03-29T00:30+01:00 03-29T01:30+01:00"
                        + " 03-29T03:00+02:00 03-29T03:30+02:00",
                "America/New_York    | 30 2 * * *     | 2026-03-07 | 03-07T02:30-05:00 03-08T03:00-04:00"
                        + " 03-09T02:30-04:00",
                "America/New_York    | 59 1 * * *     | 2026-03-08 | 03-08T01:59-05:00 03-09T01:59-04:00",
                "Australia/Lord_Howe | 15 2 * * *     | 2026-10-03 | 10-03T02:15+10:30 10-04T02:30+11:00"
                        + " 10-05T02:15+11:00",
                "Australia/Lord_Howe | 30 2 * * *     | 2026-10-03 | 10-03T02:30+10:30 10-04T02:30+11:00"
                        + " 10-05T02:30+11:00",
                "Africa/Casablanca   | 30 2 * * *     | 2026-03-21 | 03-21T02:30+00:00 03-22T03:00+01:00"
                        + " 03-23T02:30+01:00",
                "Africa/Cairo        | 0 0 * * *      | 2026-04-23 | 04-23T00:00+02:00 04-24T01:00+03:00"
                        + " 04-25T00:00+03:00",
                "Africa/Cairo        | @daily         | 2026-04-24 | 04-24T01:00+03:00 04-25T00:00+03:00",
                "America/Sao_Paulo   | 0 0 * * *      | 2018-11-03 | 11-03T00:00-03:00 11-04T01:00-02:00"
                        + " 11-05T00:00-02:00",
                "America/Sao_Paulo   | @weekly        | 2018-11-01 | 11-04T01:00-02:00 11-11T00:00-02:00",
                "Pacific/Apia        | 0 9 * * *      | 2011-12-29 | 12-29T09:00-10:00 12-31T00:00+14:00"
                        + " 12-31T09:00+14:00",
                "Pacific/Apia        | 0 0 * * *      | 2011-12-29 | 12-29T00:00-10:00 12-31T00:00+14:00"
                        + " 01-01T00:00+14:00",
                "Pacific/Apia        | 0 9,17 30 12 * | 2011-12-29 | 12-31T00:00+14:00 12-30T09:00+14:00",
                "Pacific/Apia        | 0 9 * * FRI    | 2011-12-23 | 12-23T09:00-10:00 12-31T00:00+14:00"
                        + " 01-06T09:00+14:00",
                "Pacific/Apia        | */20 9 * * *   | 2011-12-29T09:40 | 12-29T09:40-10:00 12-31T00:00+14:00"
                        + " 12-31T09:00+14:00",
                "Pacific/Apia        | 30 3 * * *     | 2012-09-29 | 09-29T03:30+13:00 09-30T04:00+14:00"
                        + " 10-01T03:30+14:00",
                "Asia/Kathmandu      | @yearly        | 1985-12-31 | 01-01T00:15+05:45 01-01T00:00+05:45",
                "Asia/Kathmandu      | 0,10,20 0 * * * | 1986-01-01T00:15 | 01-01T00:15+05:45 01-01T00:20+05:45"
                        + " 01-02T00:00+05:45",
                "Asia/Kathmandu      | 10 0 * * *     | 1985-12-31 | 12-31T00:10+05:30 01-01T00:15+05:45"
                        + " 01-02T00:10+05:45",
                "Asia/Kathmandu      | 15 6 * * *     | 2026-03-29 | 03-29T06:15+05:45 03-30T06:15+05:45",
                "UTC                 | 30 2 * * *     | 2026-03-29 | 03-29T02:30+00:00 03-30T02:30+00:00"
            })
    void aFixedTimeInAGapFiresAtTheFirstInstantAfterIt(String zone, String cron, String date, String expected) {
        check(CronSchedule.parse(cron, zone), date, expected);
    }

    /** The clock shows the times in the overlap twice; the first pass has the offset of before the change. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Europe/Berlin       | 30 2 * * *     | 2026-10-24 | 10-24T02:30+02:00 10-25T02:30+02:00"
                        + " 10-26T02:30+01:00",
                "Europe/Berlin       | 0 3 * * *      | 2026-10-25 | 10-25T03:00+01:00 10-26T03:00+01:00",
                "Europe/Berlin       | 0 2 * * *      | 2026-10-25 | 10-25T02:00+02:00 10-26T02:00+01:00",
                "Europe/Berlin       | 15,45 2 * * *  | 2026-10-25 | 10-25T02:15+02:00 10-25T02:45+02:00"
                        + " 10-26T02:15+01:00",
                "Europe/Berlin       | */30 1-3 * * * | 2026-10-25 | 10-25T01:00+02:00 10-25T01:30+02:00"
                        + " 10-25T02:00+02:00 10-25T02:30+02:00 10-25T03:00+01:00",
                "America/New_York    | 30 1 * * *     | 2026-10-31 | 10-31T01:30-04:00 11-01T01:30-04:00"
                        + " 11-02T01:30-05:00",
                "Australia/Lord_Howe | 45 1 * * *     | 2026-04-04 | 04-04T01:45+11:00 04-05T01:45+11:00"
                        + " 04-06T01:45+10:30",
                "Australia/Lord_Howe | 15 1 * * *     | 2026-04-05 | 04-05T01:15+11:00 04-06T01:15+10:30",
                "Africa/Casablanca   | 30 2 * * *     | 2026-02-14 | 02-14T02:30+01:00 02-15T02:30+01:00"
                        + " 02-16T02:30+00:00",
                "Pacific/Apia        | 30 3 * * *     | 2012-03-31 | 03-31T03:30+14:00 04-01T03:30+14:00"
                        + " 04-02T03:30+13:00",
                "Africa/Cairo        | 30 23 * * *    | 2026-10-28 | 10-28T23:30+03:00 10-29T23:30+03:00"
                        + " 10-30T23:30+02:00",
                "Africa/Cairo        | 0 0 * * *      | 2026-10-29 | 10-29T00:00+03:00 10-30T00:00+02:00",
                "America/Sao_Paulo   | 30 23 * * *    | 2019-02-15 | 02-15T23:30-02:00 02-16T23:30-02:00"
                        + " 02-17T23:30-03:00"
            })
    void aFixedTimeThatIsRepeatedFiresOnce(String zone, String cron, String date, String expected) {
        check(CronSchedule.parse(cron, zone), date, expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Europe/Berlin       | */30 * * * *   | 2026-03-29T01:00 | 03-29T01:00+01:00 03-29T01:30+01:00"
                        + " 03-29T03:00+02:00 03-29T03:30+02:00",
                "Europe/Berlin       | */30 * * * *   | 2026-10-25T02:00 | 10-25T02:00+02:00 10-25T02:30+02:00"
                        + " 10-25T02:00+01:00 10-25T02:30+01:00 10-25T03:00+01:00",
                "Europe/Berlin       | 0 * * * *      | 2026-10-25T01:00 | 10-25T01:00+02:00 10-25T02:00+02:00"
                        + " 10-25T02:00+01:00 10-25T03:00+01:00",
                "Europe/Berlin       | @hourly        | 2026-03-29T01:00 | 03-29T01:00+01:00 03-29T03:00+02:00",
                "Europe/Berlin       | 0 */2 * * *    | 2026-03-29T00:00 | 03-29T00:00+01:00 03-29T04:00+02:00",
                "America/New_York    | */20 * * * *   | 2026-11-01T01:40 | 11-01T01:40-04:00 11-01T01:00-05:00"
                        + " 11-01T01:20-05:00",
                "Australia/Lord_Howe | */15 * * * *   | 2026-04-05T01:30 | 04-05T01:30+11:00 04-05T01:45+11:00"
                        + " 04-05T01:30+10:30 04-05T01:45+10:30 04-05T02:00+10:30",
                "Australia/Lord_Howe | */15 * * * *   | 2026-10-04T01:45 | 10-04T01:45+10:30 10-04T02:30+11:00",
                "Africa/Cairo        | */30 * * * *   | 2026-04-23T23:30 | 04-23T23:30+02:00 04-24T01:00+03:00",
                "Africa/Casablanca   | 0 * * * *      | 2026-02-15T02:00 | 02-15T02:00+01:00 02-15T02:00+00:00"
                        + " 02-15T03:00+00:00",
                "America/New_York    | */20 * * * *   | 2026-03-08T01:40 | 03-08T01:40-05:00 03-08T03:00-04:00"
                        + " 03-08T03:20-04:00",
                "America/New_York    | 0 */3 * * *    | 2026-03-08T00:00 | 03-08T00:00-05:00 03-08T03:00-04:00"
                        + " 03-08T06:00-04:00",
                "Africa/Casablanca   | */30 * * * *   | 2026-03-22T01:30 | 03-22T01:30+00:00 03-22T03:00+01:00",
                "Pacific/Apia        | 0 * * * *      | 2012-04-01T03:00 | 04-01T03:00+14:00 04-01T03:00+13:00"
                        + " 04-01T04:00+13:00",
                "Pacific/Apia        | 0 * * * *      | 2012-09-30T02:00 | 09-30T02:00+13:00 09-30T04:00+14:00",
                "Pacific/Apia        | 0 * * * FRI    | 2011-12-29T22:00 | 01-06T00:00+14:00 01-06T01:00+14:00",
                "Asia/Kathmandu      | */5 * * * *    | 1985-12-31T23:55 | 12-31T23:55+05:30 01-01T00:15+05:45"
                        + " 01-01T00:20+05:45",
                "Pacific/Apia        | 0 */12 * * *   | 2011-12-29T12:00 | 12-29T12:00-10:00 12-31T00:00+14:00"
                        + " 12-31T12:00+14:00",
                "Asia/Kathmandu      | */30 * * * *   | 1985-12-31T23:30 | 12-31T23:30+05:30 01-01T00:30+05:45"
            })
    void aScheduleOfEveryHourFollowsElapsedTime(String zone, String cron, String from, String expected) {
        var schedule = CronSchedule.parse(cron, zone);
        for (var gap : DstPolicy.Gap.values()) {
            for (var overlap : DstPolicy.Overlap.values()) {
                check(schedule.with(new DstPolicy(gap, overlap)), from, expected);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Europe/Berlin       | SKIP  | FIRST  | 30 2 * * *    | 2026-03-28 | 03-28T02:30+01:00"
                        + " 03-30T02:30+02:00",
                "Europe/Berlin       | SKIP  | FIRST  | 0 2,3 * * *   | 2026-03-29 | 03-29T03:00+02:00"
                        + " 03-30T02:00+02:00",
                "Europe/Berlin       | SHIFT | SECOND | 30 2 * * *    | 2026-10-25 | 10-25T02:30+01:00"
                        + " 10-26T02:30+01:00",
                "Europe/Berlin       | SHIFT | SECOND | 15,45 2 * * * | 2026-10-25 | 10-25T02:15+01:00"
                        + " 10-25T02:45+01:00 10-26T02:15+01:00",
                "Europe/Berlin       | SHIFT | SECOND | 0 1,2,3 * * * | 2026-10-25 | 10-25T01:00+02:00"
                        + " 10-25T02:00+01:00 10-25T03:00+01:00",
                "Europe/Berlin       | SHIFT | BOTH   | 15,45 2 * * * | 2026-10-25 | 10-25T02:15+02:00"
                        + " 10-25T02:45+02:00 10-25T02:15+01:00 10-25T02:45+01:00 10-26T02:15+01:00",
                "America/New_York    | SKIP  | FIRST  | 30 2 * * *    | 2026-03-07 | 03-07T02:30-05:00"
                        + " 03-09T02:30-04:00",
                "America/New_York    | SHIFT | SECOND | 30 1 * * *    | 2026-10-31 | 10-31T01:30-04:00"
                        + " 11-01T01:30-05:00 11-02T01:30-05:00",
                "America/New_York    | SHIFT | BOTH   | 30 1 * * *    | 2026-11-01 | 11-01T01:30-04:00"
                        + " 11-01T01:30-05:00 11-02T01:30-05:00",
                "Australia/Lord_Howe | SKIP  | FIRST  | 15 2 * * *    | 2026-10-03 | 10-03T02:15+10:30"
                        + " 10-05T02:15+11:00",
                "Australia/Lord_Howe | SKIP  | FIRST  | 15,45 2 * * * | 2026-10-04 | 10-04T02:45+11:00"
                        + " 10-05T02:15+11:00",
                "Australia/Lord_Howe | SHIFT | SECOND | 45 1 * * *    | 2026-04-04 | 04-04T01:45+11:00"
                        + " 04-05T01:45+10:30 04-06T01:45+10:30",
                "Australia/Lord_Howe | SHIFT | SECOND | 15,45 1 * * * | 2026-04-05 | 04-05T01:15+11:00"
                        + " 04-05T01:45+10:30 04-06T01:15+10:30",
                "Australia/Lord_Howe | SHIFT | BOTH   | 15,45 1 * * * | 2026-04-05 | 04-05T01:15+11:00"
                        + " 04-05T01:45+11:00 04-05T01:45+10:30 04-06T01:15+10:30",
                "Africa/Casablanca   | SKIP  | FIRST  | 30 2 * * *    | 2026-03-21 | 03-21T02:30+00:00"
                        + " 03-23T02:30+01:00",
                "Africa/Casablanca   | SHIFT | SECOND | 30 2 * * *    | 2026-02-14 | 02-14T02:30+01:00"
                        + " 02-15T02:30+00:00 02-16T02:30+00:00",
                "Africa/Casablanca   | SHIFT | BOTH   | 30 2 * * *    | 2026-02-15 | 02-15T02:30+01:00"
                        + " 02-15T02:30+00:00 02-16T02:30+00:00",
                "Pacific/Apia        | SKIP  | FIRST  | 0 9 * * *     | 2011-12-29 | 12-29T09:00-10:00"
                        + " 12-31T09:00+14:00",
                "Pacific/Apia        | SKIP  | FIRST  | 0 9 30 12 *   | 2010-12-30 | 12-30T09:00-10:00"
                        + " 12-30T09:00+14:00",
                "Pacific/Apia        | SHIFT | FIRST  | 0 9 30 12 *   | 2010-12-30 | 12-30T09:00-10:00"
                        + " 12-31T00:00+14:00 12-30T09:00+14:00",
                "Pacific/Apia        | SHIFT | SECOND | 30 3 * * *    | 2012-04-01 | 04-01T03:30+13:00"
                        + " 04-02T03:30+13:00",
                "Pacific/Apia        | SKIP  | BOTH   | 30 3 * * *    | 2012-04-01 | 04-01T03:30+14:00"
                        + " 04-01T03:30+13:00 04-02T03:30+13:00",
                "Asia/Kathmandu      | SKIP  | FIRST  | 10 0 * * *    | 1985-12-31 | 12-31T00:10+05:30"
                        + " 01-02T00:10+05:45",
                "Asia/Kathmandu      | SKIP  | FIRST  | 10,20 0 * * * | 1985-12-31T00:20 | 12-31T00:20+05:30"
                        + " 01-01T00:20+05:45 01-02T00:10+05:45",
                "Asia/Kathmandu      | SHIFT | BOTH   | 15 6 * * *    | 2026-10-25 | 10-25T06:15+05:45"
                        + " 10-26T06:15+05:45"
            })
    void aPolicyDecidesAboutFixedTimes(
            String zone, DstPolicy.Gap gap, DstPolicy.Overlap overlap, String cron, String date, String expected) {
        check(CronSchedule.parse(cron, zone).with(new DstPolicy(gap, overlap)), date, expected);
    }

    /** The clock of Morocco is put back for Ramadan, which comes eleven days earlier each year. */
    @Test
    void noonFollowsRamadan() {
        check(
                CronSchedule.parse("0 12 12 2-4 *", "Africa/Casablanca"),
                "2024-01-01",
                "02-12T12:00+01:00 03-12T12:00+00:00 04-12T12:00+00:00 "
                        + "02-12T12:00+01:00 03-12T12:00+00:00 04-12T12:00+01:00 "
                        + "02-12T12:00+01:00 03-12T12:00+00:00 04-12T12:00+01:00");
    }

    @Test
    void aPreviewFlagsWhatAChangeOfTheClockDoes() {
        var daily = CronSchedule.parse("30 2 * * *", "Europe/Berlin");
        var both = daily.with(new DstPolicy(DstPolicy.Gap.SHIFT, DstPolicy.Overlap.BOTH));

        assertThat(flags(daily, "2026-03-28T00:00:00Z")).isEqualTo("[] [GAP] []");
        assertThat(flags(daily, "2026-10-24T00:00:00Z")).isEqualTo("[] [REPEATED] []");
        assertThat(flags(both, "2026-10-24T00:00:00Z")).isEqualTo("[] [REPEATED] [REPEATED]");
    }

    @Test
    void aScheduleWhoseEveryTimeIsSkippedHasNoNextTick() {
        var inTheGap = CronSchedule.parse("30 2 * 3 SUNL", "Europe/Berlin");
        var from = Instant.parse("2026-01-01T00:00:00Z");

        assertThat(inTheGap.next(from)).isEqualTo("2026-03-29T01:00:00Z");
        assertThat(inTheGap.with(new DstPolicy(DstPolicy.Gap.SKIP, DstPolicy.Overlap.FIRST))
                        .next(from))
                .isNull();
    }

    private static String flags(CronSchedule schedule, String from) {
        return schedule.preview(Instant.parse(from), 3).stream()
                .map(tick -> tick.flags().toString())
                .collect(Collectors.joining(" "));
    }

    /** Checks as many ticks as are expected. */
    private static void check(CronSchedule schedule, String from, String expected) {
        var start = LocalDateTime.parse(from.contains("T") ? from : from + "T00:00");
        var at = ZonedDateTime.of(start, schedule.zone()).toInstant().minusMillis(1);
        List<String> wanted = Arrays.asList(expected.split(" ", -1));

        var ticks = schedule.preview(at, wanted.size());

        assertThat(ticks)
                .map(tick -> LOCAL.format(tick.at().atZone(schedule.zone())))
                .as("%s with %s", schedule, schedule.policy())
                .isEqualTo(wanted);
        assertThat(ticks).map(Tick::at).doesNotHaveDuplicates().isSorted();
    }
}
