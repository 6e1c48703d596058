package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.TestFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks that the page quotes the messages of the program. */
class TroubleshootingTest {
    private static final Pattern ROW = Pattern.compile("^\\| `([^`]+)` \\|", Pattern.MULTILINE);

    /** A text that goes on in another line of the source. */
    private static final Pattern JOINT = Pattern.compile("\"\\s*\\+\\s*\"");

    @Test
    void everyTextOfThePageIsInTheProgram() throws IOException {
        var program = JOINT.matcher(sources()).replaceAll("");
        var texts = ROW.matcher(TestFiles.text(Path.of("docs/troubleshooting.md")))
                .results()
                .map(row -> row.group(1))
                .toList();

        assertThat(texts).hasSizeGreaterThan(20);
        assertThat(texts)
                .allSatisfy(text -> assertThat(Arrays.stream(text.split("\\.\\.\\.")))
                        .allSatisfy(part -> assertThat(program).contains(part.strip())));
    }

    private static String sources() throws IOException {
        try (var files = Files.walk(Path.of("src/main/java"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(TestFiles::text)
                    .collect(Collectors.joining());
        }
    }
}
