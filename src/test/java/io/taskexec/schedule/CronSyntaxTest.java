package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronSyntaxTest {
    private static final String MINUTES = "this field takes 0-59, *, lists, ranges and steps, as in */15 and 10-20/5";
    private static final String HOURS = "this field takes 0-23, *, lists, ranges and steps, as in */6 and 9-17/2";
    private static final List<String> SHARDS = List.of(
            "*",
            "/",
            "-",
            ",",
            "#",
            "(",
            ")",
            "0 0 15L * *",
            "0 0 LL * *",
            "0 0 1L-2 * *",
            "0 0 * * 5W",
            "0 0 * * LW",
            "0 0 * * L-2",
            "15W * * * *",
            "5L * * * *",
            "* 5#2 * * *",
            "0 0 * L *",
            "0 0 5L * *",
            "@",
            "L",
            "W",
            "H",
            "?",
            "0",
            "7",
            "15",
            "60",
            "MON",
            "JAN",
            " ",
            "é");

    @ParameterizedTest
    @CsvSource({
        "@hourly, 0 * * * *",
        "@daily, 0 0 * * *",
        "@midnight, 0 0 * * *",
        "@weekly, 0 0 * * 0",
        "@monthly, 0 0 1 * *",
        "@yearly, 0 0 1 1 *",
        "@annually, 0 0 1 1 *",
        "' @Daily ', 0 0 * * *",
        "'  0\t9  *  * mon-fri ', 0 9 * * MON-FRI",
        "'05 09 * jan,Feb 7', '05 09 * JAN,FEB 7'"
    })
    void anExpressionNormalizesToFivePlainFields(String expression, String normalized) {
        var schedule = CronSchedule.parse(expression, "UTC");

        assertThat(schedule.normalized()).isEqualTo(normalized);
        assertThat(CronSchedule.parse(normalized, "UTC").normalized()).isEqualTo(normalized);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "60 * * * * | The minute '60' is not understood: " + MINUTES,
                "-1 * * * * | The minute '-1' is not understood: " + MINUTES,
                "a * * * * | The minute 'A' is not understood: " + MINUTES,
                "1,,2 * * * * | The minute '' is not understood: " + MINUTES,
                "1, * * * * | The minute '' is not understood: " + MINUTES,
                "1-2-3 * * * * | The minute '1-2-3' is not understood: " + MINUTES,
                "*-5 * * * * | The minute '*-5' is not understood: " + MINUTES,
                "99999999999 * * * * | The minute '99999999999' is not understood: " + MINUTES,
                "L * * * * | The minute 'L' is not understood: " + MINUTES,
                "*/0 * * * * | The minute '*/0' has a step that is not in 1-59",
                "*/60 * * * * | The minute '*/60' has a step that is not in 1-59",
                "*/ * * * * | The minute '*/' is not understood: " + MINUTES,
                "*/-5 * * * * | The minute '*/-5' is not understood: " + MINUTES,
                "* 24 * * * | The hour '24' is not understood: " + HOURS,
                "* 22-2 * * * | The hour '22-2' is a range that runs backwards: write it as two ranges",
                "0 0 * * FRI-MON | The day of week 'FRI-MON' is a range that runs backwards: write it as two ranges",
                "0 0 L-31 * * | The day of month 'L-31' is not in L-1 to L-30",
                "0 0 * * MON#6 | The day of week 'MON#6' asks for a day that no month has: after # comes 1-5",
                "0 0 * * MON#0 | The day of week 'MON#0' asks for a day that no month has: after # comes 1-5",
                "0 0 * * L | The day of week 'L' does not say which day is the last of the month: write SATL, say",
                "H(30-10) * * * * | The minute 'H(30-10)' is not understood: " + MINUTES,
                "H(0-60) * * * * | The minute 'H(0-60)' is not understood: " + MINUTES,
                "H/61 * * * * | The minute 'H/61' has a step that is not in 1-60",
                "H(0-9)/11 * * * * | The minute 'H(0-9)/11' has a step that is not in 1-10",
                "* * * * | The cron expression '* * * *' does not have five fields: minute, hour, day of month, month"
                        + " and day of week",
                "0 0 * * * * | The cron expression '0 0 * * * *' does not have five fields: minute, hour, day of"
                        + " month, month and day of week",
                "@never | There is no '@never': use @hourly, @daily, @midnight, @weekly, @monthly, @yearly or"
                        + " @annually",
                "0 0 ? * MON | The cron expression '0 0 ? * MON' has the character '?', which no field takes",
                "+5 * * * * | The cron expression '+5 * * * *' has the character '+', which no field takes",
                "٣ * * * * | The cron expression '٣ * * * *' has the character '٣', which no field takes",
                "0 0 31 2 * | The cron expression '0 0 31 2 *' never fires: there is no such day",
                "0 0 31 4,6,9,11 * | The cron expression '0 0 31 4,6,9,11 *' never fires: there is no such day",
                "0 0 L-30 2 * | The cron expression '0 0 L-30 2 *' never fires: there is no such day",
                "0 0 30W FEB * | The cron expression '0 0 30W FEB *' never fires: there is no such day"
            })
    void anExpressionThatIsWrongIsRefusedWithASentence(String expression, String sentence) {
        assertThatThrownBy(() -> CronSchedule.parse(expression, "UTC"))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessage(sentence);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0 0 L/2 * *",
                "0 0 1-L * *",
                "0 0 1-5W * *",
                "0 0 WL * *",
                "0 0 W * *",
                "0 0 32W * *",
                "0 0 0 * *",
                "0 0 L-3W * *",
                "0 0 * 0 *",
                "0 0 * 13 *",
                "0 0 * JANUARY *",
                "0 0 * * 8",
                "0 0 * * SUN1",
                "0 0 * * 1SUN",
                "0 0 * * SUNDAY",
                "0 0 * * SUN-",
                "0 0 * * MON#",
                "0 0 * * #2",
                "0 0 * * MON-FRIL",
                "0 0 * * MON#1/2",
                "0 0 * * 1#12",
                "0 0 * * 15W",
                "0 0 MON * *",
                "0 0 * * JAN",
                "0 0 2#1 * *",
                "H(1) * * * *",
                "H-5 * * * *",
                "1-H * * * *",
                "HH * * * *",
                "H/ * * * *",
                "@",
                "* * * * @daily",
                "",
                " ",
                "0\n0 * * *"
            })
    void otherNonsenseIsRefused(String expression) {
        assertThatThrownBy(() -> CronSchedule.parse(expression, "UTC")).isInstanceOf(InvalidScheduleException.class);
    }

    @Test
    void anExpressionHasAtMost255Characters() {
        var list = "0" + ",10".repeat(82);

        assertThat(list + " * * * *").hasSize(255);
        assertThat(CronSchedule.parse(list + " * * * *", "UTC")).isNotNull();
        assertThatThrownBy(() -> CronSchedule.parse(list + "  * * * *", "UTC"))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessage("The cron expression is longer than 255 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Europe/Berlin", "UTC", "Etc/GMT+1", "EST5EDT", "Asia/Kolkata", "Asia/Calcutta", "Etc/UTC"})
    void aZoneOfTheDatabaseIsTaken(String zone) {
        assertThat(CronSchedule.parse("@daily", zone).zone().getId()).isEqualTo(zone);
    }

    @ParameterizedTest
    @ValueSource(strings = {"+02:00", "Z", "UTC+2", "GMT+1", "PST", "Mars/Olympus", "", " "})
    void anyOtherZoneIsRefusedWithASentence(String zone) {
        assertThatThrownBy(() -> CronSchedule.parse("@daily", zone))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessage("There is no time zone '" + zone
                        + "': use a name of the tz database such as Europe/Berlin, or UTC");
    }

    @ParameterizedTest
    @CsvSource(
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "europe/berlin,Europe/Berlin",
                "Europe/Berlin ,Europe/Berlin",
                "Europe/Belrin,Europe/Berlin",
                "America/NewYork,America/New_York",
                "Berlin,Europe/Berlin",
                "tokio,Asia/Tokyo",
                "Oslo,Europe/Oslo",
                "utc,UTC"
            })
    void aMisspeltZoneIsToldWithTheOneThatWasMeant(String zone, String meant) {
        assertThatThrownBy(() -> CronSchedule.parse("@daily", zone))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessage("There is no time zone '" + zone + "'; did you mean " + meant + "?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"CEST", "WEST", "EDT", "AEST"})
    void anAbbreviationOfAZoneIsNotTakenForACity(String zone) {
        assertThatThrownBy(() -> CronSchedule.parse("@daily", zone))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessage("There is no time zone '" + zone
                        + "': use a name of the tz database such as Europe/Berlin, or UTC");
    }

    @Test
    void aLongZoneIsNotRepeatedAtLength() {
        assertThatThrownBy(() -> CronSchedule.parse("@daily", "x".repeat(100_000)))
                .isInstanceOf(InvalidScheduleException.class)
                .message()
                .hasSizeLessThan(150);
    }

    @Test
    void theRulesOfTimeZonesHaveAVersion() {
        assertThat(CronSchedule.timeZoneRules()).matches("20[0-9]{2}[a-z]");
    }

    @Test
    void aRandomTextEitherParsesOrIsRefusedWithASentence() {
        var seed = System.nanoTime();
        var random = new Random(seed);
        for (var round = 0; round < 20_000; round++) {
            var text = Stream.generate(() -> shards(random)).limit(5).collect(Collectors.joining(" "));
            assertThat(catchThrowable(() -> CronSchedule.parse(text, "UTC")))
                    .as("seed %d, text %s", seed, text)
                    .matches(it -> it == null || it instanceof InvalidScheduleException);
        }
    }

    private static String shards(Random random) {
        return Stream.generate(() -> SHARDS.get(random.nextInt(SHARDS.size())))
                .limit(1 + random.nextInt(4))
                .collect(Collectors.joining());
    }
}
