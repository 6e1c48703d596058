package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code apply} with a server that is older, or that fails in its midst. */
class ApplyTroubleTest {
    private static final Answer NOT_FOUND = refusal(404, "CONFIG_NOT_FOUND", "There is none.");

    private final Receiver server = new Receiver();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    private static Answer refusal(int status, String code, String message) {
        return Answer.of(status, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}".formatted(code, message));
    }

    /** A config as a server shows it. */
    private static Answer config(String values) {
        return Answer.of(200, "{\"values\":%s,\"version\":1}".formatted(values)).with("ETag", "\"1\"");
    }

    private CommandRun apply(List<String> configs, String... options) throws IOException {
        var text = new StringBuilder();
        configs.forEach(name -> text.append("kind: Config\nname: %s\nvalues: {}\n---\n".formatted(name)));
        var words = new ArrayList<>(List.of("apply", "-f"));
        words.add(Files.writeString(folder.resolve("configs.yaml"), text).toString());
        words.addAll(List.of("--url", server.uri("").toString(), "--token-file"));
        words.add(Files.writeString(folder.resolve("token"), "te_key").toString());
        words.addAll(List.of(options));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private List<String> requests(String method) {
        return server.requests().stream()
                .filter(request -> request.method().equals(method))
                .map(request -> request.path() + " " + request.body())
                .toList();
    }

    private static boolean isNew(Received request, String name) {
        return request.method().equals("POST") && request.body().contains("\"" + name + "\"");
    }

    /** It passes over the parameter, and would write. */
    @Test
    void aDryRunAsksNothingOfAServerThatIsOlderThanDryRuns() throws Exception {
        server.answer(request -> request.method().equals("GET")
                ? NOT_FOUND
                : isNew(request, "a") ? config("{}") : refusal(400, "INVALID_REQUEST", "'name' is required."));

        var run = apply(List.of("a"), "--dry-run");

        assertThat(run.code()).as(run.out()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("The server is older than dry runs")
                .endsWith("Nothing has been changed.%n".formatted());
        assertThat(requests("POST")).containsExactly("/configs?dry_run=probe {}");
    }

    @Test
    void aDryRunThatWouldSendNothingAsksForNothing() throws Exception {
        server.answer(config("{}"));

        assertThat(apply(List.of("a"), "--dry-run").code()).isZero();

        assertThat(requests("POST")).isEmpty();
    }

    @Test
    void whatAServerOrAProxyFailsWithLeavesOpenWhetherItIsDoneAndWhatIsUnchangedIsSaidToBe() throws Exception {
        server.answer(request -> request.path().equals("/configs/c")
                ? config("{}")
                : request.method().equals("GET")
                        ? NOT_FOUND
                        : isNew(request, "b") ? refusal(503, "UNAVAILABLE", "Not now.") : config("{}"));

        var run = apply(List.of("a", "b", "c", "d"));

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).endsWith("""
                Config a is created.
                Config b: unknown.
                Config c is unchanged.
                Config d: not tried.
                Stopped: 1 created, 1 unchanged, 1 unknown, 1 not tried. The same command goes on from here.
                """);
    }

    @Test
    void whenOnlyTheListOfASetCannotBeWrittenTheRestIsSaidToBeDone() throws Exception {
        server.answer(request -> switch (request.method() + " " + request.path()) {
            case "GET /configs/applied-shop" -> config("{\"Config\":[\"a\",\"gone\"]}");
            case "PUT /configs/applied-shop" -> refusal(412, "PRECONDITION_FAILED", "It has changed.");
            case "DELETE /configs/gone" -> Answer.of(204, "");
            default -> config("{}");
        });

        var run = apply(List.of("a"), "--set", "shop", "--prune");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).endsWith("""
                Config a is unchanged.
                Config gone is removed.
                1 unchanged, 1 removed.
                Only writing the list of the set 'shop' has failed. Run the same command again.
                """);
        assertThat(run.err()).contains("PRECONDITION_FAILED");
    }
}
