package io.taskexec.client.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class JarIT {
    private static final Path JAR = Path.of(System.getProperty("taskexec.client.jar", ""));

    private static final Pattern ALLOWED =
            Pattern.compile("-> (java\\..*|jdk\\.management|.*jackson-(core|databind|annotations).*|.*jspecify.*)$");

    @Test
    void theJarIsSmall() throws IOException {
        assertThat(Files.size(JAR)).isLessThan(300 * 1024);
    }

    /** JSpecify has annotations alone, which nobody needs at run time. */
    @Test
    void theJarNeedsOnlyJackson() {
        var libraries = Arrays.stream(System.getProperty("java.class.path", "").split(File.pathSeparator))
                .filter(path -> path.endsWith(".jar"))
                .collect(Collectors.joining(File.pathSeparator));
        var out = new StringWriter();
        ToolProvider.findFirst("jdeps")
                .orElseThrow()
                .run(
                        new PrintWriter(out),
                        new PrintWriter(out),
                        "--multi-release",
                        "base",
                        "-summary",
                        "-cp",
                        libraries,
                        JAR.toString());

        assertThat(out.toString().lines().filter(line -> line.startsWith("taskexec-client.jar -> ")))
                .isNotEmpty()
                .allMatch(line -> ALLOWED.matcher(line).find());
    }
}
