package io.taskexec.cli.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.YamlReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConversionTest {
    private static final Path FILES = Path.of("src/test/resources/convert");

    private static Conversion conversion(String format, String text) throws MalformedTextException {
        var source = Objects.requireNonNull(SourceFormat.of(format));
        var conversion = new Conversion(source, Instant.parse("2026-11-23T00:00:00Z"));
        source.converter("UTC").convert("a.file", text, conversion);
        return conversion;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "crontab         | crontab.txt                | 4 of 9 | 2 | 3",
                "eventbridge     | eventbridge-schedules.json | 1 of 4 | 1 | 2",
                "eventbridge     | eventbridge-rules.json     | 0 of 3 | 2 | 1",
                "eventbridge     | eventbridge-list.json      | 0 of 1 | 0 | 1",
                "eventbridge     | eventbridge-template.json  | 0 of 2 | 2 | 0",
                "cloud-scheduler | cloud-scheduler.json       | 1 of 5 | 1 | 3",
                "qstash          | qstash.json                | 2 of 4 | 0 | 2",
            })
    void aFileBecomesTheManifestsBesideIt(String format, String file, String converted, int incomplete, int leftOut)
            throws Exception {
        var text = Files.readString(FILES.resolve(file));
        var conversion = conversion(format, text);

        assertThat(conversion.text())
                .isEqualTo(Files.readString(FILES.resolve(file.replaceFirst("\\..*", ".yaml"))))
                .doesNotContain("sk-live", "abc.def.ghi", "hunter2");
        assertThat(conversion.summary())
                .isEqualTo("Converted %s schedules; %d must be completed by hand, %d are commented out."
                        .formatted(converted, incomplete, leftOut));
        assertThat(YamlReader.read("a.yaml", conversion.text())).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "crontab         | MAILTO=a\\n* * * * | a.file:2: This is no line of a crontab",
                "crontab         | @daily | a.file:1: This is no line of a crontab",
                "eventbridge     | {\"Name\": \"a\",\\n\"ScheduleExpression\": 1} | a.file:1: 'ScheduleExpression' is",
                "eventbridge     | [{\"Nam\": \"a\"}] | a.file:1: 'Name' is missing or not a string.",
                "eventbridge     | [{\"Name\": \"a\", \"ScheduleExpression\": \"rate(1 day)\", \"EndDate\": \"x\"}]"
                        + " | a.file:1: 'EndDate' is no ISO 8601 time with an offset.",
                "cloud-scheduler | [\\n{\"name\": \"a\"}] | a.file:2: 'schedule' is missing or not a string.",
                "cloud-scheduler | [{\"name\": \"a\", \"schedule\": \"* * * * *\"}] | a.file:1: there is no httpTarget",
                "qstash          | [\\n\\n1] | a.file:3: an object is expected here.",
                "qstash          | {\"scheduleId\": | a.file:1: Not valid YAML",
                "qstash          | `` | a.file: There is nothing in it.",
            })
    void whatIsNotOfTheFormatIsSaidWithItsLine(String format, String text, String reason) {
        assertThatThrownBy(() -> conversion(format, text.replace("\\n", "\n")))
                .isInstanceOf(MalformedTextException.class)
                .hasMessageStartingWith(reason);
    }

    @Test
    void namesAreAllowedAndDifferent() throws Exception {
        var lines = "@daily curl https://a.example.org/run\n".repeat(2) + "@daily /opt/Ünï/" + "x".repeat(80) + "\n";

        assertThat(conversion("crontab", lines).text())
                .contains("name: a-example-org-run\n", "name: a-example-org-run-2\n", "name: " + "x".repeat(40) + "\n");
    }

    @Test
    void aHeaderGoesBeforeTheCredentialsOfAUrl() throws Exception {
        var url = "https://me:hunter2@a.example.org/";

        assertThat(conversion("crontab", "@daily curl " + url + "\n").text()).contains("base64", "Basic {{secret.");
        assertThat(conversion("crontab", "@daily curl -H 'Authorization: Bearer x' " + url + "\n")
                        .text())
                .contains("Authorization: Bearer {{secret.")
                .doesNotContain("base64");
    }

    @Test
    void aTimeoutThatIsTooLongIsRemarkedOn() throws Exception {
        var schedule = "[{\"scheduleId\": \"a\", \"cron\": \"* * * * *\", \"destination\": \"https://a.example.org\","
                + " \"timeout\": \"%s\"}]";

        assertThat(conversion("qstash", schedule.formatted("7200s")).text())
                .contains("timeout_ms: 3600000", "Its timeout is longer than an hour");
        assertThat(conversion("qstash", schedule.formatted("3600s")).text())
                .contains("timeout_ms: 3600000")
                .doesNotContain("longer than an hour");
    }

    @Test
    void aTextOfTheFileCannotEndAComment() throws Exception {
        var text = conversion(
                        "qstash",
                        "[{\"scheduleId\": \"a\\nkind: Config\", \"cron\": \"* * * * *\","
                                + " \"destination\": \"b\\nkind: Config\"}]")
                .text();

        assertThat(text.lines()).noneMatch(line -> line.startsWith("kind: Config"));
    }
}
