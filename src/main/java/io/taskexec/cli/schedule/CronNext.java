package io.taskexec.cli.schedule;

import io.taskexec.cli.Durations;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ResourceName;
import io.taskexec.cli.text.CliCommand;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.TickId;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.Interval;
import io.taskexec.schedule.InvalidScheduleException;
import io.taskexec.schedule.Schedule;
import io.taskexec.schedule.Zones;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the next ticks of a schedule. */
@Command(
        name = "next",
        description = "Print the next ticks of a cron expression or an interval, and describe it in words.")
final class CronNext extends CliCommand {
    private static final int MAX_COUNT = 1000;

    @Parameters(
            arity = "0..1",
            paramLabel = "EXPRESSION",
            description = "A cron expression of five fields, in quotes, or a name such as @daily.")
    private @Nullable String expression;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            description = "An interval instead, such as 15m; its first tick is at --from.")
    private @Nullable String every;

    @Option(names = "--tz", defaultValue = "UTC", paramLabel = "ZONE", description = "Time zone (${DEFAULT-VALUE}).")
    private String timezone = "";

    @Option(
            names = {"-n", "--count"},
            defaultValue = "10",
            description = "Number of ticks, 1 to 1000 (${DEFAULT-VALUE}).")
    private int count;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Earliest tick: ISO 8601 with an offset, such as 2026-03-29T00:00:00+01:00 (now).")
    private @Nullable String from;

    @Option(
            names = "--gap",
            defaultValue = "SHIFT",
            description = "Policy for times that the clock skips: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private DstPolicy.Gap gap = DstPolicy.DEFAULT.gap();

    @Option(
            names = "--overlap",
            defaultValue = "FIRST",
            description = "Policy for times that the clock repeats: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private DstPolicy.Overlap overlap = DstPolicy.DEFAULT.overlap();

    @Option(
            names = "--hash-key",
            paramLabel = "JOB_ID",
            description = "For H: the id of the job's first version. Without it, the values of H are an example.")
    private @Nullable String hashKey;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "TABLE",
            description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private Output output = Output.TABLE;

    /** Output formats. */
    enum Output {
        TABLE,
        JSON
    }

    @Override
    public Integer call() {
        if ((expression == null) == (every == null)) {
            throw invalid("Set either a cron expression or --every.");
        }
        if (count < 1 || count > MAX_COUNT) {
            throw invalid("--count must be between 1 and " + MAX_COUNT + ", not " + count + ".");
        }
        var start = start();
        var seed = seed();
        try {
            var zone = Zones.named(timezone);
            print(TickList.of(schedule(zone, start, seed), zone, start, count));
            return 0;
        } catch (InvalidScheduleException e) {
            var sentence = String.valueOf(e.getMessage());
            warn(sentence.endsWith("?") ? sentence : sentence + ".");
            return ExitCode.USAGE;
        }
    }

    private Schedule schedule(ZoneId zone, Instant start, long seed) {
        return expression == null
                ? Interval.parse(Durations.iso(String.valueOf(every)), start)
                : CronSchedule.parse(expression, zone.getId(), seed).with(new DstPolicy(gap, overlap));
    }

    private Instant start() {
        try {
            // As a job that is created now: an interval counts from now, in whole milliseconds, and its first tick is
            // later.
            return from == null
                    ? Instant.now().truncatedTo(ChronoUnit.MILLIS).plusNanos(1)
                    : OffsetDateTime.parse(from).toInstant();
        } catch (DateTimeParseException _) {
            throw invalid("--from must be an ISO 8601 time with offset, such as 2026-03-15T18:00:00Z.");
        }
    }

    private long seed() {
        if (hashKey == null) {
            return 0;
        }
        var id = PublicId.JOB.parse(ResourceName.bare("jobs", hashKey));
        if (id == null) {
            throw invalid("--hash-key must be the id of a job, as in job_ and 32 hexadecimal digits.");
        }
        return TickId.seed(id);
    }

    private void print(TickList ticks) {
        print(output == Output.JSON ? ticks.json() : ticks.table());
    }
}
