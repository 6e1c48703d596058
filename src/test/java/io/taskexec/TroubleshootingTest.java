package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.TestFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks that the page quotes the messages of the program, and all with which it refuses to start. */
class TroubleshootingTest {
    private static final Pattern ROW = Pattern.compile("^\\| `([^`]+)` \\|", Pattern.MULTILINE);

    /** A text that goes on in another line of the source. */
    private static final Pattern JOINT = Pattern.compile("\"\\s*\\+\\s*\"");

    /** The sentence of a refusal, up to what differs; not one that begins with that, which is the name of a setting. */
    private static final Pattern REFUSAL = Pattern.compile("new StartRefusedException\\(\\s*\"(?:\"\"\\s*)?([^\"%]+)");

    @Test
    void everyTextOfThePageIsInTheProgram() throws IOException {
        var program = program();

        assertThat(texts()).hasSizeGreaterThan(20);
        assertThat(texts())
                .allSatisfy(text -> assertThat(Arrays.stream(text.split("\\.\\.\\.")))
                        .allSatisfy(part -> assertThat(program).contains(part.strip())));
    }

    @Test
    void everyRefusalOfAStartIsOnThePage() throws IOException {
        var refusals = REFUSAL.matcher(program())
                .results()
                .map(found -> found.group(1))
                .filter(text -> !text.startsWith("TE_") && !text.startsWith("--"))
                .toList();
        var beginnings = texts().stream()
                .map(text -> text.split("\\.\\.\\.", 2)[0])
                .filter(text -> !text.isEmpty())
                .toList();

        assertThat(refusals).hasSizeGreaterThan(15);
        assertThat(refusals)
                .allSatisfy(refusal -> assertThat(beginnings)
                        .as(refusal)
                        .anyMatch(text -> text.startsWith(refusal) || refusal.startsWith(text)));
    }

    private static List<String> texts() {
        return ROW.matcher(TestFiles.text(Path.of("docs/troubleshooting.md")))
                .results()
                .map(row -> row.group(1))
                .toList();
    }

    private static String program() throws IOException {
        try (var files = Files.walk(Path.of("src/main/java"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(TestFiles::text)
                    .map(source -> JOINT.matcher(source).replaceAll(""))
                    .collect(Collectors.joining());
        }
    }
}
