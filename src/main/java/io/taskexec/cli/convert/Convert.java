package io.taskexec.cli.convert;

import io.taskexec.cli.InputText;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.text.CliCommand;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.schedule.InvalidScheduleException;
import io.taskexec.schedule.Zones;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints manifests for the schedules of another scheduler. */
@Command(
        name = "convert",
        description = "Convert the schedules of another scheduler to manifests for 'taskexec apply'; uses no server."
                + " Comments name all that has no equivalent.")
public final class Convert extends CliCommand {
    @Parameters(
            index = "0",
            paramLabel = "FORMAT",
            completionCandidates = FormatNames.class,
            description = "${COMPLETION-CANDIDATES}.")
    private String format = "";

    @Parameters(
            index = "1",
            paramLabel = "FILE",
            description = "A crontab, or JSON: of 'aws scheduler get-schedule', 'aws events list-rules' or"
                    + " CloudFormation; of 'gcloud scheduler jobs list --format=json'; of GET /v2/schedules of QStash."
                    + " - is the standard input.")
    private String file = "";

    @Option(
            names = "--tz",
            paramLabel = "ZONE",
            description = "Of a crontab: the time zone where it names none; default: UTC.")
    private @Nullable String timezone;

    @Override
    public Integer call() {
        var source = SourceFormat.of(format);
        if (source == null) {
            throw invalid(
                    "The format must be one of " + String.join(", ", new FormatNames()) + ", not '" + format + "'.");
        }
        if (timezone != null && source != SourceFormat.CRONTAB) {
            throw invalid("--tz is for crontab: the other formats name the time zones of their schedules.");
        }
        var zone = timezone == null ? "UTC" : checked(timezone);
        try {
            var name = file.equals(InputText.STANDARD_INPUT) ? "<stdin>" : file;
            var conversion = new Conversion(source, Instant.now());
            source.converter(zone).convert(name, withoutMark(InputText.read(file)), conversion);
            print(conversion.text());
            warn(conversion.summary());
            return ExitCode.DONE;
        } catch (MalformedTextException e) {
            warn(String.valueOf(e.getMessage()));
            return ExitCode.USAGE;
        }
    }

    /** Some editors begin a file with a mark of its byte order. */
    private static String withoutMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private String checked(String zone) {
        try {
            return Zones.named(zone).getId();
        } catch (InvalidScheduleException e) {
            throw invalid("--tz: " + e.getMessage() + ".");
        }
    }
}
