package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code taskexec convert}, whose manifests a real server takes. */
@ServerTest(env = CliBed.EVENTS)
class CliConvertIT {
    private static final Path FILES = Path.of("src/test/resources/convert").toAbsolutePath();
    private static final Pattern VARIABLE = Pattern.compile("value_env: (\\w+)");

    @Inject
    private static Api api;

    private static CliBed cli;

    @BeforeAll
    static void setUp(@TempDir Path folder) throws IOException {
        cli = CliBed.in(folder, api);
    }

    @Test
    void aByteOrderMarkAtTheBeginningIsPassedOver() throws IOException {
        var file = cli.file("marked.crontab", "\uFEFF0 1 * * * curl https://example.org/marked\r\n");

        var converted = CommandRun.of("convert", "crontab", file);

        assertThat(converted.code()).as(converted.err()).isZero();
        assertThat(converted.out()).contains("url: https://example.org/marked\n");
    }

    @ParameterizedTest
    @CsvSource({
        "crontab, crontab.txt, 15",
        "eventbridge, eventbridge-schedules.json, 5",
        "eventbridge, eventbridge-rules.json, 4",
        "eventbridge, eventbridge-template.json, 4",
        "cloud-scheduler, cloud-scheduler.json, 8",
        "qstash, qstash.json, 9",
    })
    void theManifestsOfAFileCanBeApplied(String format, String file, int resources) throws Exception {
        var converted = CommandRun.of("convert", format, FILES.resolve(file).toString());
        assertThat(converted.code()).as(converted.err()).isZero();
        assertThat(converted.err()).startsWith("Converted ");
        var manifest = cli.file(file.replaceFirst("\\..*", ".yaml"), converted.out());
        var apply = Program.command(cli.withServer("apply", "-f", manifest, "--dry-run"));
        for (var variable : VARIABLE.matcher(converted.out())
                .results()
                .map(found -> found.group(1))
                .toList()) {
            apply = apply.with(variable, "hunter2-hunter2");
        }

        var program = apply.run();

        assertThat(program.awaitExit()).as(program.output()).isZero();
        assertThat(program.out()).contains("Nothing is changed; it would be: " + resources + " created.");
    }

    @Test
    void theStandardInputIsReadAndAZoneCanBeNamed() {
        var run = CommandRun.withInput(
                "@daily curl https://a.example.org/x\n", "convert", "crontab", "-", "--tz", "Asia/Tokyo");

        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("timezone: Asia/Tokyo\n", "url: https://a.example.org/x\n");
        assertThat(run.err().strip())
                .isEqualTo("Converted 1 of 1 schedules; 0 must be completed by hand, 0 are commented out.");
    }

    @Test
    void whatCannotBeReadIsAMistakeOfUsage() throws Exception {
        var broken = Files.writeString(cli.folder().resolve("broken.json"), "[\n{\"scheduleId\": \"a\"}]");

        checkRefused(
                CommandRun.of("convert", "qstash", broken.toString()),
                broken + ":2: 'cron' is missing or not a string.");
        checkRefused(CommandRun.of("convert", "airflow", "x"), "must be one of crontab, eventbridge");
        checkRefused(CommandRun.of("convert", "qstash", "gone.json"), "The file gone.json cannot be read.");
        checkRefused(CommandRun.of("convert", "qstash", broken.toString(), "--tz", "UTC"), "--tz is for crontab");
        checkRefused(CommandRun.of("convert", "crontab", broken.toString(), "--tz", "Berlin"), "--tz: ");
    }

    private static void checkRefused(CommandRun run, String reason) {
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(reason);
    }
}
