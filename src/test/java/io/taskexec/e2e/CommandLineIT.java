package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.schedule.CronSchedule;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineIT {
    private static final int REFUSED = 2;
    private static final Duration STOP_BOUND = Duration.ofSeconds(15);

    private static final ServerDb database = ServerDb.fresh(CommandLineIT.class);
    private static final Program.Setup setup = Program.serving(database);

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V", "version"})
    void sayingTheVersionIsAllThatVersionDoes(String word) {
        var run = CommandRun.of(word);

        assertThat(run.code()).isZero();
        assertThat(run.out()).matches("taskexec \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R");
        assertThat(run.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--help, Usage: taskexec",
        "help, Usage: taskexec",
        "help jobs, Usage: taskexec jobs",
        "help jobs create, Usage: taskexec jobs create",
        "serve --help, Usage: taskexec serve",
        "dev --help, Usage: taskexec dev",
        "migrate --help, Usage: taskexec migrate",
        "check --help, Usage: taskexec check",
        "config --help, Usage: taskexec config",
        "echo --help, Usage: taskexec echo",
        "verify --help, Usage: taskexec verify",
        "keys --help, Usage: taskexec keys",
        "keys create --help, Usage: taskexec keys create",
        "keys list --help, Usage: taskexec keys list",
        "keys revoke --help, Usage: taskexec keys revoke",
        "secrets rekey --help, Usage: taskexec secrets rekey",
        "cron --help, Usage: taskexec cron",
        "cron next --help, Usage: taskexec cron next"
    })
    void everyCommandExplainsItself(String arguments, String usage) {
        var run = CommandRun.of(arguments.split(" "));

        assertThat(run.code()).isZero();
        assertThat(run.out()).contains(usage);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void theHelpNamesTheCommandsAndTheRoles() throws InterruptedException {
        var program = Program.command("--help").run();

        assertThat(program.out()).contains("--roles", "serve", "dev", "migrate", "echo", "api, worker and scheduler");
    }

    @ParameterizedTest
    @CsvSource({
        "--rolls=api, --rolls",
        "sevre, sevre",
        "help sevre, sevre",
        "help jobs craete, craete",
        "dev --port=http, http",
        "migrate now, now",
        "check --output=xml, xml",
        "config --output=xml, xml",
        "keys, create",
        "keys list, TE_TOKEN",
        "keys list --url=nowhere, nowhere",
        "keys list --token-file=missing, missing",
        "keys revoke te_abc, key_",
        "keys create --scopes=read, --name",
        "verify --id=1, TE_WEBHOOK_SECRET",
        "verify --secret=whsec_no, bytes",
        "cron, next",
        "cron next, --every",
        "cron next @daily --every=PT1H, --every",
        "cron next @daily -n 0, --count",
        "cron next @daily -n 1001, 1000",
        "cron next @daily --from=2026-01-01, offset",
        "cron next @daily --gap=both, SKIP",
        "cron next @daily --hash-key=x, job_",
    })
    void aWrongArgumentIsNamedInASentence(String arguments, String named) {
        var run = CommandRun.of(arguments.split(" "));

        assertThat(run.code()).isEqualTo(REFUSED);
        assertThat(run.err()).contains(named).doesNotContain("\tat ", "Exception", "Usage:");
        assertThat(run.err().lines()).hasSizeLessThan(4);
    }

    @Test
    void cronNextPrintsATableOfTicks() throws InterruptedException {
        var program = Program.command(
                        "cron", "next", "30 2 * * *", "--tz=Europe/Berlin", "-n2", "--from=2026-03-29T00:00:00+01:00")
                .run();

        assertThat(program.awaitExit()).as(program.output()).isZero();
        assertThat(program.out().replace(CronSchedule.timeZoneRules(), "RULES")).isEqualTo("""
                at 02:30 every day (Europe/Berlin), tz database RULES

                UTC                   LOCAL                      FLAGS
                2026-03-29T01:00:00Z  2026-03-29T03:00:00+02:00  GAP
                2026-03-30T00:30:00Z  2026-03-30T02:30:00+02:00
                """);
        assertThat(program.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "61 * * * *  | The minute '61' is not understood",
                "0 0 31 2 *  | never fires",
                "@never      | There is no '@never'",
                "--every=PT5 | 'PT5' is not an ISO-8601 duration",
                "--tz=Nowhere @daily | There is no time zone 'Nowhere'"
            })
    void aScheduleThatCannotBeIsExplainedInASentence(String argument, String reason) {
        var arguments = argument.startsWith("--tz") ? argument.split(" ") : new String[] {argument};
        var run = CommandRun.of(
                Stream.concat(Stream.of("cron", "next"), Stream.of(arguments)).toArray(String[]::new));

        assertThat(run.code()).isEqualTo(REFUSED);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().strip().lines()).singleElement().asString().contains(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TE_ROLES                       | api,cook      | TE_ROLES  | cook",
                "TE_WORKER_MAX_CONCURRENT       | abc           | TE_WORKER_MAX_CONCURRENT | abc",
                "TE_REDIS_CA_FILE               | /no/such.pem  | TE_REDIS_CA_FILE | cannot be read",
                "TE_SECRET_ENCRYPTION_KEY       | nonsense      | TE_SECRET_ENCRYPTION_KEY | id:base64",
            })
    void aBadSettingStopsTheStartWithASentence(String name, String value, String named, String reason)
            throws InterruptedException {
        checkRefused(setup.with(name, value).run(), named, reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TE_DATABASE_URL          | No database",
                "TE_API_KEY               | The role api needs TE_API_KEY",
                "TE_SECRET_ENCRYPTION_KEY | No key for secrets",
            })
    void aMissingSettingStopsTheStartWithASentence(String name, String sentence) throws InterruptedException {
        checkRefused(setup.without(name).run(), sentence, name + "_FILE");
    }

    @Test
    void anUnknownRoleOnTheCommandLineIsNamed() throws InterruptedException {
        checkRefused(setup.arguments("--roles=api,cook").run(), "TE_ROLES", "cook");
    }

    @Test
    void aDatabaseThatCannotBeReachedIsNamedWithoutItsPassword() throws InterruptedException {
        var nowhere = "postgresql://user:swordfish@127.0.0.1:" + Program.freePort() + "/taskexec";

        var program = setup.with("TE_DATABASE_URL", nowhere)
                .with("TE_DATABASE_START_TIMEOUT_SEC", "0")
                .run();

        checkRefused(program, "The database at 127.0.0.1:", "refused");
        assertThat(program.output()).doesNotContain("swordfish");
    }

    @Test
    void aWrongPasswordIsSaidToBeOneAndNotShown() throws InterruptedException {
        var program = setup.with("TE_DATABASE_URL", database.urlWithPassword("swordfish"))
                .run();

        checkRefused(program, "The database at 127.0.0.1:", "password authentication failed");
        assertThat(program.output()).doesNotContain("swordfish");
    }

    @Test
    void aDatabaseThatDoesNotExistIsNamed() throws InterruptedException {
        checkRefused(
                setup.with("TE_DATABASE_URL", database.url() + "_gone").run(), "commandlineit_gone", "does not exist");
    }

    @Test
    void aPortThatIsInUseIsNamed() throws InterruptedException, IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            var address = "127.0.0.1:" + taken.getLocalPort();

            checkRefused(setup.with("TE_LISTEN_ADDR", address).run(), "Port " + taken.getLocalPort(), "in use");
            checkRefused(setup.with("TE_MANAGEMENT_ADDR", address).run(), "Port " + taken.getLocalPort(), "in use");
        }
    }

    @Test
    void oneAddressForApiAndManagementIsRefused() throws InterruptedException {
        var address = "127.0.0.1:" + Program.freePort();

        checkRefused(
                setup.with("TE_LISTEN_ADDR", address)
                        .with("TE_MANAGEMENT_ADDR", address)
                        .run(),
                "TE_LISTEN_ADDR",
                "TE_MANAGEMENT_ADDR");
    }

    @Test
    void anUnpreparedDatabaseIsRefusedUntilItIsMigrated() throws InterruptedException {
        var fresh = ServerDb.fresh(Unprepared.class);
        var serve = Program.serving(fresh).without("TE_MIGRATE_AT_START");

        var refused = serve.run();
        var first = serve.arguments("migrate").run();
        var second = serve.arguments("migrate").run();

        assertThat(refused.awaitExit()).isEqualTo(REFUSED);
        assertThat(refused.err().strip())
                .isEqualTo("The schema of the database is not up to date: run 'taskexec migrate' or set"
                        + " TE_MIGRATE_AT_START=true.");
        assertThat(refused.out()).doesNotContain("\tat ", "Exception", "ERROR", "Listening");
        assertThat(first.awaitExit()).as(first.output()).isZero();
        assertThat(first.out()).containsPattern("[1-9]\\d* migrations applied\\.");
        assertThat(second.awaitExit()).isZero();
        assertThat(second.out()).contains("The schema is up to date.");
        try (var program = serve.startReady()) {
            assertThat(program.api().get("/jobs").statusCode()).isEqualTo(200);
        }
    }

    /** Names a database. */
    private static final class Unprepared {}

    @Test
    void migratingNeedsNothingButTheDatabase() throws InterruptedException {
        var fresh = ServerDb.fresh(OnlyMigrated.class);

        var program =
                Program.command("migrate").with("TE_DATABASE_URL", fresh.url()).run();

        assertThat(program.awaitExit()).as(program.output()).isZero();
        assertThat(program.output()).doesNotContain("ERROR", "\tat ");
        assertThat(fresh.number("SELECT count(*) FROM queues")).isEqualTo(1);
    }

    /** Names a database. */
    private static final class OnlyMigrated {}

    @Test
    void secretsCanComeFromFilesAndTheEndIsOrderly(@TempDir Path directory) throws InterruptedException, IOException {
        var url = Files.writeString(directory.resolve("url"), database.url() + "\n");
        var apiKey = Files.writeString(directory.resolve("api-key"), "key-from-a-file-5hT2wq\n");
        var secretKey = Files.writeString(directory.resolve("secret-key"), Program.SECRET_KEY + "\n");
        withSettingsOfOthers(directory);
        var fromFiles = Program.command()
                .in(directory)
                .with("TE_DATABASE_URL_FILE", url.toString())
                .with("TE_API_KEY_FILE", apiKey.toString())
                .with("TE_SECRET_ENCRYPTION_KEY_FILE", secretKey.toString())
                .with("TE_LOG_FORMAT", "text")
                .with("TE_MIGRATE_AT_START", "true");
        try (var program = fromFiles.startReady()) {
            var api = new Api(program.apiPort(), "key-from-a-file-5hT2wq");
            assertThat(api.get("/jobs").statusCode()).isEqualTo(200);
            assertThat(program.api().get("/jobs").statusCode()).isEqualTo(401);

            program.terminate();

            assertThat(program.awaitExit(STOP_BOUND)).isIn(0, Program.SIGTERM);
            assertThat(program.errors()).isEmpty();
            assertThat(program.out().lines())
                    .as("lines for people")
                    .allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT\\S+ +(INFO|WARN) +\\[.*"));
        }
    }

    /** A start that read one of these would be refused, or write its log in another way. */
    private static void withSettingsOfOthers(Path directory) throws IOException {
        var _ = Files.writeString(directory.resolve(".env"), """
                TE_WORKER_MAX_CONCURRENT=none
                QUARKUS_LOG_CONSOLE_FORMAT=of another program: %m%n
                """);
        var _ = Files.writeString(
                Files.createDirectory(directory.resolve("config")).resolve("application.properties"), """
                te.worker-max-concurrent=none
                quarkus.log.console.format=of another program: %m%n
                """);
    }

    @Test
    void aSecretThatIsGivenTwiceOrNotReadableIsRefused(@TempDir Path directory)
            throws InterruptedException, IOException {
        var file = Files.writeString(directory.resolve("key"), "key");

        checkRefused(setup.with("TE_API_KEY_FILE", file.toString()).run(), "TE_API_KEY", "not both");
        checkRefused(
                setup.without("TE_API_KEY")
                        .with("TE_API_KEY_FILE", directory.resolve("gone").toString())
                        .run(),
                "TE_API_KEY_FILE",
                "gone");
        checkRefused(
                setup.without("TE_API_KEY")
                        .with(
                                "TE_API_KEY_FILE",
                                Files.writeString(directory.resolve("empty"), "\n")
                                        .toString())
                        .run(),
                "TE_API_KEY");
    }

    @Test
    void withoutTheRoleApiThereIsOnlyTheManagementPort() throws InterruptedException, IOException {
        // Of a key like this one a library warns.
        var worker = setup.arguments("--roles=worker,scheduler")
                .without("TE_API_KEY")
                .with("TE_LOG_LEVEL", "error")
                .with("JAVA_TOOL_OPTIONS", "-Dquarkus.no.such.key=1");
        try (var program = worker.startReady()) {
            assertThat(isOpen(program.apiPort())).isFalse();
            assertThat(program.manage("/q/health").body()).contains("\"UP\"");
            assertThat(program.manage("/q/health/live").statusCode()).isEqualTo(200);
            var metrics = program.manage("/q/metrics");
            assertThat(metrics.statusCode()).isEqualTo(200);
            assertThat(metrics.body()).contains("jvm_memory_used_bytes");
            assertThat(program.out()).isEmpty();
        }
    }

    @Test
    void theApiPortShowsNeitherHealthNorMetrics() throws InterruptedException, IOException {
        try (var program = setup.arguments("serve", "--roles", "API").startReady()) {
            assertThat(isOpen(program.apiPort())).isTrue();
            assertThat(program.api().get("/q/health").statusCode()).isEqualTo(404);
            assertThat(program.api().get("/q/metrics").statusCode()).isEqualTo(404);
            assertThat(program.manage("/jobs").statusCode()).isEqualTo(404);
            assertThat(program.output()).contains("API on 127.0.0.1:").doesNotContain("runs up to");
        }
    }

    @Test
    void configPrintsWhatTakesEffectAndWhereItComesFromWithoutADatabase(@TempDir Path directory)
            throws InterruptedException, IOException {
        var key = Files.writeString(directory.resolve("key"), "swordfish-4Rt7Kp2Xw\n");
        withSettingsOfOthers(directory);

        var program = Program.command("config", "--roles=worker", "-o", "json")
                .in(directory)
                .with("TE_API_KEY_FILE", key.toString())
                .with("TE_DATABASE_URL", "postgresql://user:swordfish@127.0.0.1:1/none")
                .with("TE_PROMOTE_INTERVAL_MS", "500")
                .with("TE_WORKER_MAX_CONCURENT", "50")
                .run();

        assertThat(program.awaitExit()).as(program.output()).isZero();
        assertThat(program.out())
                .startsWith("[{")
                .contains(
                        setting("TE_API_KEY", "***", "file"),
                        setting("TE_DATABASE_URL", "postgresql://user:***@127.0.0.1:1/none", "environment"),
                        setting("TE_ROLES", "worker", "option"),
                        setting("TE_WORKER_MAX_CONCURRENT", "50", "default"));
        assertThat(program.err().strip().lines())
                .containsExactly(
                        "TE_PROMOTE_INTERVAL_MS is set, but has no effect: "
                                + "delayed executions become due by themselves.",
                        "TE_WORKER_MAX_CONCURENT is not a setting of taskexec; did you mean TE_WORKER_MAX_CONCURRENT?");
        assertThat(program.output()).doesNotContain("swordfish");
    }

    private static String setting(String name, String value, String from) {
        return "{\"name\":\"%s\",\"value\":\"%s\",\"from\":\"%s\"}".formatted(name, value, from);
    }

    @Test
    void configRefusesWhatAStartWouldRefuse() throws InterruptedException {
        var program = Program.command("config").with("TE_WORKER_LEASE_SEC", "1").run();

        checkRefused(program, "TE_WORKER_LEASE_SEC must be from 3 to 3600, but is 1.");
    }

    private static boolean isOpen(int port) {
        try (var _ = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private static void checkRefused(Program program, String... parts) throws InterruptedException {
        assertThat(program.awaitExit()).as(program.output()).isEqualTo(REFUSED);
        assertThat(program.output())
                .contains(parts)
                .doesNotContain("\tat ", "Exception", "SRCFG", "io.taskexec", Program.API_KEY);
        assertThat(program.output().strip().lines()).as(program.output()).hasSize(1);
    }
}
