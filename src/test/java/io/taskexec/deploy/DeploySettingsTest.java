package io.taskexec.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.TestFiles;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that deployments use settings that exist, with valid values. ConfigurationDocumentTest checks the documents.
 */
class DeploySettingsTest {
    private static final String CONFIGURATION = TestFiles.text(Path.of("docs/configuration.md"));
    private static final Pattern NAME = Pattern.compile("\\bTE_[A-Z0-9_]*[A-Z0-9]");

    /** `NAME=value` of generated settings, `NAME: value` of compose; not what is taken from the environment. */
    private static final Pattern ASSIGNMENT =
            Pattern.compile("\\b(TE_[A-Z0-9_]+)(?:=|: )\"?([^\\s\"$]+)\"?$", Pattern.MULTILINE);

    private static final Pattern BOUNDS = Pattern.compile("([\\d,]+) to ([\\d,]+)");

    @Test
    void everySettingExists() {
        assertThat(DeployFiles.all().stream()
                        .flatMap(file -> NAME.matcher(TestFiles.text(file)).results())
                        .map(found -> found.group()))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(CONFIGURATION).containsPattern("`" + name + "`"));
    }

    @Test
    void everyValueIsWithinItsBounds() {
        assertThat(assignments()).hasSizeGreaterThan(10).allSatisfy(assignment -> {
            var row = row(assignment.name());
            var bounds = BOUNDS.matcher(row);
            if (assignment.value().matches("\\d+") && bounds.find()) {
                assertThat(Long.parseLong(assignment.value()))
                        .as(assignment.name())
                        .isBetween(number(bounds.group(1)), number(bounds.group(2)));
            }
            if (row.contains("`true`, `false`")) {
                assertThat(assignment.value()).as(assignment.name()).isIn("true", "false");
            }
        });
    }

    /** With the file beside it, which is refused. */
    @Test
    void noSecretIsWrittenDown() {
        assertThat(assignments())
                .extracting(Assignment::name)
                .doesNotContain("TE_API_KEY", "TE_SECRET_ENCRYPTION_KEY", "TE_REDIS_CA");
    }

    private record Assignment(String name, String value) {}

    private static java.util.List<Assignment> assignments() {
        return DeployFiles.all().stream()
                .filter(file -> file.toString().endsWith("yaml") || file.equals(DeployFiles.COMPOSE))
                .flatMap(file -> ASSIGNMENT.matcher(TestFiles.text(file)).results())
                .map(found -> new Assignment(found.group(1), found.group(2)))
                .toList();
    }

    private static String row(String name) {
        return Stream.of(CONFIGURATION.split("\n", -1))
                .filter(line -> line.startsWith("| `" + name.replaceFirst("_FILE$", "") + "`"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " has no row"));
    }

    private static long number(String text) {
        return Long.parseLong(text.replace(",", ""));
    }
}
