package io.taskexec.cli.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import io.taskexec.model.job.TickId;
import io.taskexec.schedule.CronSchedule;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tests the output of the command; CommandLineIT tests its errors. */
class CronNextTest {
    private static String run(String... args) {
        var out = new StringWriter();
        var code = new CommandLine(new CronNext())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out))
                .execute(args);
        assertThat(code).isZero();
        return out.toString();
    }

    private static String rows(String... args) {
        var lines = run(args).lines().toList();
        return String.join(" / ", lines.subList(3, lines.size()));
    }

    @ParameterizedTest
    @CsvSource({
        "SHIFT, 2026-03-29, 2026-03-29T01:00:00Z  2026-03-29T03:00:00+02:00  GAP",
        "skip,  2026-03-29, 2026-03-30T00:30:00Z  2026-03-30T02:30:00+02:00"
    })
    void theGapIsAsAskedFor(String gap, String day, String row) {
        assertThat(rows("30 2 * * *", "--tz=Europe/Berlin", "-n1", "--from=" + day + "T00:00:00Z", "--gap=" + gap))
                .isEqualTo(row);
    }

    @ParameterizedTest
    @CsvSource({
        "first,  2026-10-25T00:30:00Z  2026-10-25T02:30:00+02:00  REPEATED",
        "second, 2026-10-25T01:30:00Z  2026-10-25T02:30:00+01:00  REPEATED"
    })
    void theOverlapIsAsAskedFor(String overlap, String row) {
        assertThat(rows(
                        "30 2 * * *",
                        "--tz=Europe/Berlin",
                        "-n1",
                        "--from=2026-10-25T00:00:00Z",
                        "--overlap=" + overlap))
                .isEqualTo(row);
    }

    @Test
    void columnsAreAsWideAsTheirWidestValue() {
        assertThat(run("--every=PT1.5S", "--from=2026-01-01T00:00:00Z", "-n2", "--tz=Asia/Kathmandu"))
                .isEqualTo("""
                        every 1 second 500 milliseconds from 2026-01-01T00:00:00Z, tz database %s

                        UTC                       LOCAL                        FLAGS
                        2026-01-01T00:00:00Z      2026-01-01T05:45:00+05:45
                        2026-01-01T00:00:01.500Z  2026-01-01T05:45:01.5+05:45
                        """.formatted(CronSchedule.timeZoneRules()));
    }

    @Test
    void anIntervalCanBeAShortDuration() {
        assertThat(run("--every=15m", "--from=2026-01-01T00:00:00Z"))
                .isEqualTo(run("--every=PT15M", "--from=2026-01-01T00:00:00Z"));
    }

    @Test
    void jsonIsWhatTheApiAnswers() {
        assertThat(run("0 9 * * *", "-n1", "--from=2026-01-01T09:00:00Z", "-o", "json"))
                .isEqualTo("{\"description\":\"at 09:00 every day (UTC)\",\"timezone_rules\":\"%s\",\"items\":["
                                .formatted(CronSchedule.timeZoneRules())
                        + "{\"utc\":\"2026-01-01T09:00:00Z\",\"local\":\"2026-01-01T09:00:00Z\",\"flags\":[]}]}\n");
    }

    @Test
    void anIntervalFirstFiresOneIntervalFromNowAsAJobDoes() throws Exception {
        var hour = Duration.ofHours(1);
        var before = Instant.now().plus(hour);

        var first = Json.parse(run("--every=PT1H", "-o", "json")).at("/items/0/utc");

        assertThat(Instant.parse(first.asText()))
                .isBetween(before.minusMillis(1), Instant.now().plus(hour));
    }

    @Test
    void aHashKeyGivesTheValuesOfTheJob() {
        var id = UUID.fromString("019aa06c-ca98-7000-ad96-d96ca285379b");
        var from = Instant.parse("2026-01-01T00:00:00Z");
        var ofJob = CronSchedule.parse("H H * * *", "UTC", TickId.seed(id)).next(from);

        for (var noun : List.of("", "jobs/")) {
            var key = "--hash-key=" + noun + "job_019aa06cca987000ad96d96ca285379b";
            assertThat(rows("H H * * *", "-n1", "--from=" + from, key)).startsWith(String.valueOf(ofJob));
        }
    }

    @Test
    void aScheduleWithoutTicksHasNoRows() {
        assertThat(rows("30 2 * 3 SUNL", "--tz=Europe/Berlin", "--from=2026-01-01T00:00:00Z", "--gap=skip"))
                .isEmpty();
    }
}
