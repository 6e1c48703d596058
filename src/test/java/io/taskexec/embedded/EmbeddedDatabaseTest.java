package io.taskexec.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedDatabaseTest {
    private static final Duration EXIT = Duration.ofSeconds(30);

    @TempDir
    static Path dataDir;

    @BeforeAll
    static void aRowIsWrittenAndTheDatabaseClosed() {
        try (var database = EmbeddedDatabase.start(dataDir)) {
            Sql.execute(database, "CREATE TABLE kept (word text)");
            Sql.execute(database, "INSERT INTO kept VALUES ('still here')");
        }
    }

    @Test
    void itsDataSurvivesARestart() {
        try (var database = EmbeddedDatabase.start(dataDir)) {
            assertThat(Sql.query(database, "SELECT word FROM kept")).isEqualTo("still here");
        }
    }

    @Test
    void whereItIsCanBeFoundByOthersWhileItRuns(@TempDir Path empty) {
        assertThat(EmbeddedDatabase.exists(dataDir)).isTrue();
        assertThat(EmbeddedDatabase.running(dataDir)).isNull();

        try (var database = EmbeddedDatabase.start(dataDir)) {
            assertThat(EmbeddedDatabase.running(dataDir)).isEqualTo(database.url());
        }

        assertThat(EmbeddedDatabase.running(dataDir)).isNull();
        assertThat(EmbeddedDatabase.exists(empty)).isFalse();
        assertThat(EmbeddedDatabase.running(empty)).isNull();
    }

    @Test
    void itIsDurableAndListensOnlyToThisMachineInUtc() {
        try (var database = EmbeddedDatabase.start(dataDir)) {
            assertThat(database.url()).matches("postgresql://postgres:[0-9a-f]{48}@127\\.0\\.0\\.1:\\d+/postgres");
            assertThat(setting(database, "fsync")).isEqualTo("on");
            assertThat(setting(database, "synchronous_commit")).isEqualTo("on");
            assertThat(setting(database, "full_page_writes")).isEqualTo("on");
            assertThat(setting(database, "listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(setting(database, "log_timezone")).isEqualTo("UTC");
        }
    }

    @Test
    void aStrangerWithoutThePasswordIsRefused() {
        try (var database = EmbeddedDatabase.start(dataDir)) {
            var url = database.url().replaceFirst(":[0-9a-f]{48}@", ":guess@");

            assertThatThrownBy(() -> Sql.query(url, "SELECT 1")).hasMessageContaining("password authentication failed");
        }
    }

    @Test
    void closingStopsTheServerAndClosingAgainDoesNothing() throws IOException {
        var database = EmbeddedDatabase.start(dataDir);
        var server = Postmaster.on(cluster()).orElseThrow().process();

        database.close();
        database.close();

        assertThat(server.onExit()).succeedsWithin(EXIT);
    }

    @Test
    void aServerThatAKilledProgramLeftBehindIsReplaced() throws IOException {
        var program = Program.start(dataDir);
        program.kill();
        var leftover = Postmaster.on(cluster()).orElseThrow();
        assertThat(leftover.isServer()).isTrue();

        try (var database = EmbeddedDatabase.start(dataDir)) {
            assertThat(leftover.process().onExit()).succeedsWithin(EXIT);
            assertThat(Sql.query(database, "SELECT word FROM kept")).isEqualTo("still here");
        }
    }

    @Test
    void aPidFileThatNamesNobodyOrAStrangerIsNoObstacle() throws IOException {
        for (var pid : new long[] {deadPid(), ProcessHandle.current().pid()}) {
            Files.writeString(Postmaster.pidFile(cluster()), pid + "\n" + cluster() + "\n1\n5432\n\n\n1 1\nready\n");

            try (var database = EmbeddedDatabase.start(dataDir)) {
                assertThat(Sql.query(database, "SELECT word FROM kept")).isEqualTo("still here");
            }
        }
    }

    @Test
    void aProgramThatIsAskedToEndStillHasItsDatabaseInItsShutdownHookAndLeavesNoServer(@TempDir Path other)
            throws IOException {
        Program.start(other).terminate();

        assertThat(Postmaster.on(other.toRealPath().resolve("postgres"))).isEmpty();
        try (var database = EmbeddedDatabase.start(other)) {
            assertThat(Sql.query(database, "SELECT to_regclass('drained')")).isEqualTo("drained");
        }
    }

    @Test
    void aCreationThatWasInterruptedIsBegunAnew(@TempDir Path other) throws IOException {
        var draft = Files.createDirectories(other.resolve("postgres.new").resolve("base"));
        Files.writeString(draft.resolveSibling("PG_VERSION"), "18\n");

        try (var database = EmbeddedDatabase.start(other)) {
            assertThat(Sql.query(database, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aServerThatDoesNotStartSaysWhy() throws IOException {
        var version = cluster().resolve("PG_VERSION");
        var kept = Files.copy(version, cluster().resolve("PG_VERSION.kept"), StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(version, "12\n");
        try {
            assertThatThrownBy(() -> EmbeddedDatabase.start(dataDir).close())
                    .isInstanceOf(EmbeddedDatabaseException.class)
                    .hasMessageContaining("The data directory was initialized by PostgreSQL version 12");
        } finally {
            Files.move(kept, version, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static Path cluster() throws IOException {
        return dataDir.toRealPath().resolve("postgres");
    }

    private static long deadPid() throws IOException {
        var process = new ProcessBuilder("true").start();
        process.onExit().join();
        return process.pid();
    }

    private static String setting(EmbeddedDatabase database, String name) {
        return Sql.query(database, "SHOW " + name);
    }
}
