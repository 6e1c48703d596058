package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.ConnectionGate;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests failures around a start. */
class StartTroubleIT {
    private static final int REFUSED = 2;
    private static final Duration BOUND = Duration.ofSeconds(60);

    private static final ServerDb database = ServerDb.fresh(StartTroubleIT.class);
    private static final Program.Setup setup = Program.serving(database);

    @Test
    void aDatabaseThatComesLateIsWaitedForWithOneLine() throws InterruptedException {
        var port = Program.freePort();
        try (var program = setup.with("TE_DATABASE_URL", ConnectionGate.url(database.url(), port))
                .start()) {
            Eventually.await("waiting", BOUND, () -> program.err().contains("Waiting for the database"));
            try (var gate = new ConnectionGate(port, database.url(), Integer.MAX_VALUE)) {
                program.awaitReady();
                assertThat(gate.url()).contains(":" + port + "/");
            }
            assertThat(program.err().lines().filter(line -> line.contains("for the database")))
                    .singleElement()
                    .asString()
                    .contains("127.0.0.1:" + port, "60 s", "refused")
                    .doesNotContain("postgres:");
        }
    }

    @Test
    void aFirstConnectionThatHangsIsTriedAgain() throws InterruptedException {
        try (var gate = new ConnectionGate(0, database.url(), 0);
                var program = setup.with("TE_DATABASE_URL", gate.url()).start()) {
            gate.awaitConnections(1);
            Eventually.await("waiting", BOUND, () -> program.err().contains("Waiting for the database"));
            gate.letGo();

            program.awaitReady();
        }
    }

    @Test
    void aDatabaseThatDoesNotComeInTimeEndsTheStart() throws InterruptedException {
        var away = setup.with("TE_DATABASE_URL", ConnectionGate.url(database.url(), Program.freePort()))
                // More than the first look takes, which loads the driver: the program then says that it waits.
                .with("TE_DATABASE_START_TIMEOUT_SEC", "4");
        var programs = Stream.of("serve", "migrate")
                .map(command -> away.arguments(command).start())
                .toList();

        for (var program : programs) {
            assertThat(program.awaitExit()).isEqualTo(REFUSED);
            assertThat(program.err().lines()).hasSize(2).last().asString().startsWith("The database at 127.0.0.1:");
            assertThat(program.out()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"nobody-knows.invalid, the host 'nobody-knows.invalid' is not known"})
    void anUnknownHostIsNamed(String host, String reason) throws InterruptedException {
        var program = setup.with("TE_DATABASE_URL", database.url().replace("127.0.0.1", host))
                .with("TE_DATABASE_START_TIMEOUT_SEC", "0")
                .run();

        checkRefused(program, reason);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPortThatIsTakenDuringTheStartIsNamed(boolean management) throws InterruptedException, IOException {
        try (var gate = new ConnectionGate(0, database.url(), 1);
                var program = setup.with("TE_DATABASE_URL", gate.url()).start()) {
            // The first one asks whether there is a database; then the ports are looked at, and Quarkus begins.
            gate.awaitConnections(2);
            var port = management ? program.managementPort() : program.apiPort();
            try (var taken = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
                gate.letGo();

                checkRefused(program, "Port " + port + " on 127.0.0.1 is in use by another program.");
                assertThat(taken.isBound()).isTrue();
            }
        }
    }

    @Test
    @NeedsOwnServer("Roles are those of PostgreSQL.")
    void migratingAsTheRoleOfServersIsExplainedInASentence() throws InterruptedException {
        var owner = ServerDb.fresh(Unprivileged.class);
        var servers = owner.forRoleOfServers();
        owner.execute("DELETE FROM flyway_schema_history WHERE installed_rank ="
                + " (SELECT max(installed_rank) FROM flyway_schema_history)");

        var program = Program.command("migrate")
                .with("TE_DATABASE_URL", servers.url())
                .run();

        checkRefused(program, "with the role that owns the schema");
        assertThat(program.err()).containsPattern("migration \\d+: .*(must be owner|permission denied)");
    }

    @Test
    @NeedsOwnServer("Roles are those of PostgreSQL.")
    void migratingAsAnOwnerOfLittleMoreThanItsTablesWarnsOfNothing() throws InterruptedException {
        var owner = ServerDb.fresh(Owned.class).forRoleOfOwner();

        var program =
                Program.command("migrate").with("TE_DATABASE_URL", owner.url()).run();

        assertThat(program.awaitExit()).as(program.output()).isZero();
        assertThat(program.output()).doesNotContain("01007", "WARN");
        assertThat(owner.number("SELECT count(*) FROM pg_proc WHERE pronamespace = 'taskexec_api'::regnamespace"
                        + " AND proowner = 'taskexec_api'::regrole"))
                .isPositive();
    }

    /** Names a database. */
    private static final class Unprivileged {}

    /** Names another one. */
    private static final class Owned {}

    @ParameterizedTest
    @CsvSource({"192.0.2.1:0, 192.0.2.1", "nobody-knows.invalid:0, nobody-knows.invalid"})
    void anAddressThatThisMachineDoesNotHaveIsNamed(String address, String named) throws InterruptedException {
        checkRefused(setup.with("TE_LISTEN_ADDR", address).run(), "on " + named + " cannot be opened");
    }

    private static void checkRefused(Program program, String reason) throws InterruptedException {
        assertThat(program.awaitExit()).as(program.output()).isEqualTo(REFUSED);
        assertThat(program.err().strip().lines()).singleElement().asString().contains(reason);
        assertThat(program.out()).doesNotContain("\tat ", "Exception", "ERROR");
    }
}
