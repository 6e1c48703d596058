package io.taskexec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs bin/run.sh with a JDK that only prints its locale. */
class StartScriptTest {
    private static final String SCRIPT = "set -eu; . bin/run.sh; run_taskexec app caches ";

    @TempDir
    private Path jdk;

    @ParameterizedTest
    @CsvSource({
        "jobs list, LANG, '',          C.UTF-8",
        "jobs list, LANG, C,           C.UTF-8",
        "jobs list, LC_CTYPE, POSIX,   C.UTF-8",
        "jobs list, LC_ALL, C,         C.UTF-8",
        "jobs list, LC_ALL, de_DE.UTF-8, de_DE.UTF-8",
        "jobs list, LANG, de_DE.UTF-8, ''",
        "serve,     LANG, C,           C.UTF-8",
    })
    void argumentsOfClientsAreReadAsUtf8WhereNoLocaleIsSet(String words, String variable, String value, String all)
            throws Exception {
        var java = Files.createDirectory(jdk.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"${LC_ALL:-}\"\n");
        var _ = Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        var builder = new ProcessBuilder("sh", "-c", SCRIPT + words).redirectError(Redirect.DISCARD);
        builder.environment().keySet().removeAll(List.of("LC_ALL", "LC_CTYPE", "LANG", "TASKEXEC_JAVA_OPTS"));
        builder.environment().put(variable, value);
        builder.environment().put("jdk", jdk.toString());

        var process = builder.start();

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(all + "\n");
        assertThat(process.waitFor()).isZero();
    }
}
