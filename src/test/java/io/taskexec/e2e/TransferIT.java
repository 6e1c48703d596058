package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A move from one database to another, with other keys for secrets in both and on the way. */
class TransferIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String ON_THE_WAY = "way:ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
    private static final String THERE = "k2:QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8=";

    @Test
    void jobsRunWhereTheyWereMovedTo(@TempDir Path folder) throws IOException, InterruptedException {
        var here = Program.serving(ServerDb.fresh(Here.class));
        var elsewhere = ServerDb.fresh(There.class);
        var there = Program.serving(elsewhere).with("TE_SECRET_ENCRYPTION_KEY", THERE);
        var file = folder.resolve("all.ndjson");
        var key = Files.writeString(folder.resolve("way.key"), ON_THE_WAY + "\n");
        try (var receiver = new Receiver()) {
            String waiting;
            try (var program = here.startReady()) {
                var api = program.api();
                api.secret("token", "s3cr3t-v4lue");
                var _ = api.create("/endpoints", """
                        {"name": "target", "type": "HTTP", "spec": {"url": "%s", "method": "POST",
                         "headers": {"Authorization": "Bearer {{secret.token}}"}, "body_template": {"n": "{{input.n}}"}}}
                        """.formatted(receiver.uri("/")));
                var _ = api.ended(api.immediate("target", "first"));
                waiting = api.create(
                                "/jobs",
                                Map.of(
                                        "endpoint",
                                        "target",
                                        "trigger",
                                        "DELAYED",
                                        "run_at",
                                        Instant.now().plusSeconds(3600).toString(),
                                        "idempotency_key",
                                        "second",
                                        "input",
                                        Map.of("n", "second")))
                        .getString("execution.execution_id");

                // While it runs: what is exported is one moment of it.
                var export = here.arguments("export", "--to-key-file", key.toString())
                        .run();
                assertThat(export.awaitExit()).as(export.err()).isZero();
                assertThat(export.err()).containsPattern("\\d+ rows exported");
                Files.writeString(file, export.out());
                assertThatHistoryIsLeftOut(here, folder);
            }
            assertThat(Files.readString(file))
                    .doesNotContain("s3cr3t")
                    .startsWith("{\"kind\":\"taskexec-export\"")
                    .contains("\"kind\":\"executions\"", "\"kind\":\"end\"");
            receiver.clear();

            var imported = there.arguments("import", "--from-key-file", key.toString())
                    .reading(file)
                    .run();
            assertThat(imported.awaitExit()).as(imported.output()).isZero();
            var again = there.arguments("import", "-f", file.toString())
                    .with("TE_EXPORT_KEY", ON_THE_WAY)
                    .run();
            assertThat(again.awaitExit()).isEqualTo(2);
            assertThat(again.err()).contains("imported into this database already");

            elsewhere.execute("UPDATE exec_live SET visible_at = now()");
            try (var program = there.startReady()) {
                var execution = program.api().ended(waiting);
                assertThat(execution.getString("status")).isEqualTo("SUCCESS");
                assertThat(receiver.awaitCount(1, BOUND)).singleElement().satisfies(request -> {
                    assertThat(request.header("Authorization")).isEqualTo("Bearer s3cr3t-v4lue");
                    assertThat(request.body()).contains("second");
                });
                // The key still finds the job that was done before the move.
                var repeated = program.api().post("/jobs", Api.immediateJob("target", "first"));
                assertThat(repeated.statusCode()).isEqualTo(200);
            }
        }
    }

    private static void assertThatHistoryIsLeftOut(Program.Setup here, Path folder)
            throws IOException, InterruptedException {
        for (var option : List.of("--no-history", "--since=2100-01-01T00:00:00Z")) {
            var file = folder.resolve(option + ".ndjson");
            var export =
                    here.arguments("export", option, "--file", file.toString()).run();

            assertThat(export.awaitExit()).as(export.err()).isZero();
            assertThat(export.out()).isEmpty();
            assertThat(Files.readString(file))
                    .contains("\"kind\":\"endpoints\"", "\"kind\":\"exec_live\"", "\"kind\":\"end\"")
                    .doesNotContain("\"kind\":\"executions\"");
        }
    }

    /** Names a database. */
    private static final class Here {}

    /** Names a database. */
    private static final class There {}
}
