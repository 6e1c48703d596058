package io.taskexec.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.taskexec.deploy.Dockerfile.Instruction;
import io.taskexec.testing.TestFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DockerfileTest {
    /** What a build leaves, and is therefore not in the repository. */
    private static final Set<String> BUILT = Set.of("target/taskexec");

    private static final Pattern PASSWD_ENTRY = Pattern.compile("^echo '[a-z]+:x:(\\d+:\\d+):[^']*' >> /etc/passwd$");

    static Stream<Dockerfile> files() {
        return Stream.of("Dockerfile.jvm", "Dockerfile.native")
                .map(DeployFiles.DEPLOY::resolve)
                .map(Dockerfile::read);
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyImageThatItIsMadeOfIsPinned(Dockerfile file) {
        var stages = new HashSet<String>();
        for (var from : file.all("FROM")) {
            var image = from.words().getFirst();
            assertThat(stages.contains(image) || Images.isPinned(image))
                    .as(image)
                    .isTrue();
            if (from.words().size() == 3) {
                assertThat(from.words().get(1)).isEqualTo("AS");
                stages.add(from.words().get(2));
            }
        }
    }

    /** The first line chooses the image that reads all others. */
    @ParameterizedTest
    @MethodSource("files")
    void whatReadsItIsPinned(Dockerfile file) {
        var first = TestFiles.text(file.file()).lines().findFirst().orElseThrow();

        assertThat(first).startsWith("# syntax=");
        assertThat(Images.isPinned(first.substring("# syntax=".length())))
                .as(first)
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("files")
    void whatItCopiesIsThereAndNotIgnored(Dockerfile file) throws IOException {
        var stages = file.all("FROM").stream()
                .filter(from -> from.words().size() == 3)
                .map(from -> "--from=" + from.words().get(2))
                .toList();
        var sent = Files.readAllLines(Path.of(".dockerignore")).stream()
                .filter(line -> line.startsWith("!"))
                .map(line -> line.substring(1))
                .toList();

        assertThat(file.all("COPY")).isNotEmpty().allSatisfy(copy -> {
            if (isFromStage(copy)) {
                assertThat(stages).containsAnyElementsOf(copy.flags());
            } else {
                assertThat(copy.words().subList(0, copy.words().size() - 1)).allSatisfy(source -> {
                    assertThat(BUILT.contains(source) || Files.exists(Path.of(source)))
                            .as(source)
                            .isTrue();
                    assertThat(sent).contains(source);
                });
            }
        });
    }

    @ParameterizedTest
    @MethodSource("files")
    void itRunsAsAUserWithoutRightsAndWithoutAShell(Dockerfile file) {
        assertThat(file.last("USER").text()).matches("[1-9]\\d*:[1-9]\\d*");
        assertThat(file.instructions().lastIndexOf(file.last("USER")))
                .isGreaterThan(file.instructions().lastIndexOf(file.last("COPY")));
        assertThat(file.last("ENTRYPOINT").list()).isNotEmpty();
        assertThat(DeployFiles.texts(file.last("CMD").list())).containsExactly("serve");
        assertThat(file.last("EXPOSE").words()).containsExactly("8080", "9000");
        assertThat(file.last("STOPSIGNAL").text()).isEqualTo("SIGTERM");
        assertThat(file.last("LABEL").text())
                .contains("org.opencontainers.image.title=", "org.opencontainers.image.licenses=\"Apache-2.0\"");
    }

    @ParameterizedTest
    @MethodSource("files")
    void theHealthCheckTellsAReadyProgramFromOneThatIsNot(Dockerfile file) throws Exception {
        var status = new int[] {200};
        var server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        server.createContext("/q/health/ready", exchange -> {
            exchange.sendResponseHeaders(status[0], -1);
            exchange.close();
        });
        server.start();
        try {
            var port = server.getAddress().getPort();
            assertThat(healthCheck(file, port)).isZero();
            status[0] = 503;
            assertThat(healthCheck(file, port)).isNotZero();
            server.stop(0);
            assertThat(healthCheck(file, port)).isNotZero();
        } finally {
            server.stop(0);
        }
    }

    /** PostgreSQL runs neither for root nor for a user without a name, and a build may not pretend to be another. */
    @ParameterizedTest
    @MethodSource("files")
    void whoTrainsHasAName(Dockerfile file) {
        var user = "root";
        var named = new HashSet<String>();
        for (var instruction : file.instructions()) {
            switch (instruction.name()) {
                case "FROM" -> {
                    user = "root";
                    named.clear();
                }
                case "USER" -> user = instruction.text();
                case "RUN" -> {
                    var entry = PASSWD_ENTRY.matcher(instruction.text());
                    if (user.equals("root") && entry.find()) {
                        named.add(entry.group(1));
                    }
                    if (instruction.text().contains("train.sh")) {
                        assertThat(named).contains(user);
                    }
                }
                default -> {
                    // Nothing to do with users.
                }
            }
        }
    }

    @Test
    void theProgramIsTrainedInOneOfThem() {
        assertThat(files().flatMap(file -> file.all("RUN").stream()))
                .anyMatch(run -> run.text().contains("train.sh"));
    }

    private static int healthCheck(Dockerfile file, int port) throws Exception {
        var command = DeployFiles.texts(file.last("HEALTHCHECK").list()).stream()
                .map(word -> word.replace("/127.0.0.1/9000", "/127.0.0.1/" + port))
                .toList();
        var process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private static boolean isFromStage(Instruction copy) {
        return copy.flags().stream().anyMatch(flag -> flag.startsWith("--from="));
    }

    static List<String> jvmOptions() {
        return DeployFiles.texts(Dockerfile.read(DeployFiles.DEPLOY.resolve("Dockerfile.jvm"))
                .last("ENTRYPOINT")
                .list());
    }
}
