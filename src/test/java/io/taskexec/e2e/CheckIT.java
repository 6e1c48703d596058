package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.taskexec.model.Json;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckIT {
    private static final int VIOLATED = 1;
    private static final int REFUSED = 2;
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String LOST = "00000000-0000-7000-8000-000000000001";

    private static final ServerDb database = ServerDb.fresh(CheckIT.class);
    private static final Program.Setup setup = Program.command("check").with("TE_DATABASE_URL", database.url());

    @BeforeAll
    static void migrate() throws InterruptedException {
        assertThat(setup.arguments("migrate").run().awaitExit()).isZero();
    }

    private static void loseAJob() {
        database.execute("INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)"
                + " VALUES ('" + LOST + "', '" + LOST + "', 4, now() + interval '1 day', now(), now())");
    }

    private static void findIt() {
        database.execute("DELETE FROM exec_live");
    }

    @Test
    void aCleanDatabaseIsSaidToBeOneLineByLine() throws InterruptedException {
        var check = setup.with("TE_MIGRATE_AT_START", "true").run();

        assertThat(check.awaitExit()).as(check.output()).isZero();
        assertThat(check.out().lines())
                .hasSizeGreaterThan(10)
                .allMatch(line -> line.matches("ok {9}[a-z_]+ +[A-Z].*\\."), "ok, a name and a sentence");
        assertThat(check.err()).isEmpty();
    }

    @Test
    void whatIsWrongIsCountedWithExamplesAndEndsWithOne() throws InterruptedException, JsonProcessingException {
        loseAJob();
        try {
            var check = setup.run();
            assertThat(check.awaitExit()).isEqualTo(VIOLATED);
            assertThat(check.out())
                    .containsPattern("VIOLATED +queued_without_job +Every")
                    .contains("1 found: exec_" + LOST.replace("-", ""));

            var json = setup.arguments("check", "-o", "json").run();
            assertThat(json.awaitExit()).isEqualTo(VIOLATED);
            var report = Json.parse(json.out());
            assertThat(report.path("clean").asBoolean(true)).isFalse();
            assertThat(report.path("invariants").findValuesAsText("name")).contains("tick_gap", "queued_without_job");
            assertThat(report.path("invariants"))
                    .filteredOn(item -> item.path("count").asInt() > 0)
                    .singleElement()
                    .satisfies(item ->
                            assertThat(item.path("examples").path(0).asText()).startsWith("exec_"));
        } finally {
            findIt();
        }
    }

    @Test
    void warningsAloneAreNoFailure() throws InterruptedException {
        database.execute("INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)"
                + " VALUES ('" + LOST + "', 'e', 1, 'CRON', 4, now())");
        database.execute("INSERT INTO schedules (job_id, root_id, timezone, cron_expression, starts_at,"
                + " set_aside_reason) VALUES ('" + LOST + "', '" + LOST + "', 'UTC', 'x', now(), 'unreadable')");
        try {
            var check = setup.run();
            assertThat(check.awaitExit()).as(check.output()).isZero();
            assertThat(check.out())
                    .containsPattern("warning +schedule_set_aside")
                    .contains("1 found: job_");
        } finally {
            database.execute("DELETE FROM schedules");
            database.execute("DELETE FROM jobs");
        }
    }

    @Test
    void whatCannotBeCheckedEndsWithTwoAndASentence(@TempDir Path directory) throws InterruptedException {
        var unprepared = ServerDb.fresh(Unprepared.class);
        var ahead = ServerDb.fresh(Ahead.class);
        var onAhead = setup.with("TE_DATABASE_URL", ahead.url());
        assertThat(onAhead.arguments("migrate").run().awaitExit()).isZero();
        ahead.pretendNewerSchema();

        checkRefused(setup.without("TE_DATABASE_URL").run(), "No database");
        checkRefused(setup.with("TE_DATABASE_URL", unprepared.url()).run(), "not up to date");
        checkRefused(onAhead.run(), "newer than this taskexec");
        checkRefused(setup.with("TE_DATABASE_URL", database.url() + "_gone").run(), "does not exist");
        checkRefused(
                Program.command("check", "--data-dir", directory.toString()).run(), "There is no database");
        assertThat(directory).isEmptyDirectory();
    }

    /** Names a database. */
    private static final class Unprepared {}

    /** Names a database. */
    private static final class Ahead {}

    private static void checkRefused(Program program, String sentence) throws InterruptedException {
        assertThat(program.awaitExit()).as(program.output()).isEqualTo(REFUSED);
        assertThat(program.err()).contains(sentence).doesNotContain("\tat ", "Exception");
        assertThat(program.output().strip().lines()).as(program.output()).hasSize(1);
    }

    @Test
    void theDatabaseOfDevIsCheckedWhileItRunsAndAfterwards(@TempDir Path directory)
            throws InterruptedException, IOException {
        var data = directory.resolve("data");
        var port = Program.freePort();
        var check = Program.command("check", "--data-dir", data.toString());
        try (var receiver = new Receiver();
                var dev = Program.command("dev", "--data-dir", data.toString(), "--port", "" + port)
                        .startReady()) {
            var api = new Api(port, Files.readString(data.resolve("api-key")).strip());
            api.endpoint("checked", receiver.uri("/"), Map.of());
            var _ = api.ended(api.immediate("checked", "k"));

            var running = check.run();
            assertThat(running.awaitExit()).as(running.output()).isZero();
            assertThat(api.get("/jobs").statusCode()).isEqualTo(200);

            dev.terminate();
            var _ = dev.awaitExit(BOUND);
        }

        var stopped = check.run();
        assertThat(stopped.awaitExit()).as(stopped.output()).isZero();
        assertThat(stopped.out()).contains("ok").doesNotContain("VIOLATED");
        assertThat(data.resolve("postgres").resolve("postmaster.pid")).doesNotExist();
    }
}
