package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.taskexec.store.migration.Migrations;
import io.taskexec.testing.Jdbc;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.TestDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Processes of the version before go on working while, and after, the schema is brought up to date. */
class UpgradeTest {
    /** Written with {@code -Dtaskexec.record-statements=true} when a version is released. */
    private static final Path PREVIOUS = Path.of("src/test/resources/upgrade/statements-of-schema-2.json");

    private static final int FIRST_EXPANDING = 3;
    private static final Pattern VERSION = Pattern.compile("V(\\d+)__");

    /** What a process of the version before would notice, or would have to wait for. */
    private static final List<Pattern> CONTRACTING = Stream.of(
                    "DROP TABLE",
                    "DROP COLUMN",
                    "RENAME",
                    "SET NOT NULL",
                    "ALTER COLUMN \\w+ (SET DATA )?TYPE",
                    "TRUNCATE",
                    "ADD COLUMN (?![^;,]*DEFAULT)[^;,]*NOT NULL",
                    "ADD CONSTRAINT(?![^;]*NOT VALID)[^;]*(CHECK|FOREIGN KEY)[^;]*;",
                    "ADD CONSTRAINT[^;]*UNIQUE",
                    "DROP CONSTRAINT",
                    "DROP INDEX",
                    "CREATE UNIQUE INDEX")
            .map(text -> Pattern.compile(text, Pattern.CASE_INSENSITIVE | Pattern.DOTALL))
            .toList();

    /** A rule of its own table is known to whoever writes to it. */
    private static final Pattern NEW_TABLE = Pattern.compile("CREATE TABLE (\\w+)", Pattern.CASE_INSENSITIVE);

    /** Migrations that contract and may, by the ends of the names of the files, with the reason. */
    private static final Map<String, String> ALLOWED = Map.of(
            "common/V9__expiry.sql",
            "allows a final status more: what the version before writes is still allowed",
            "common/V15__dependencies.sql",
            "allows a final status and a flow state more: what the version before writes is still allowed",
            "common/V18__workflows.sql",
            "allows a type of endpoints more: what the version before writes is still allowed",
            "common/V20__approvals.sql",
            "allows a type of endpoints and a mode more: what the version before writes is still allowed",
            "common/V21__timers_by_key.sql",
            "allows a final status more: what the version before writes is still allowed",
            "common/V22__worker_endpoints.sql",
            "allows a type of endpoints more: what the version before writes is still allowed");

    /** An index of these takes long to make, and nobody could write meanwhile. */
    private static final Set<String> BIG = Set.of(
            "jobs",
            "exec_live",
            "executions",
            "attempts",
            "execution_logs",
            "job_tags",
            "idempotency_keys",
            "ticks",
            "job_stats",
            "event_log",
            "event_outbox",
            "audit_log");

    private static final Pattern INDEX =
            Pattern.compile("CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?[^;]*? ON (\\w+)", Pattern.DOTALL);

    private static final Pattern HALF_MADE = Pattern.compile("CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\\w+)");

    private static Stream<Path> expanding(String... folders) {
        return Stream.of(folders)
                .flatMap(folder -> SqlTexts.migrations(folder).stream())
                .filter(file -> version(file) >= FIRST_EXPANDING);
    }

    private static int version(Path file) {
        var found = VERSION.matcher(file.getFileName().toString());
        assertThat(found.find()).as(file.toString()).isTrue();
        return Integer.parseInt(found.group(1));
    }

    @Test
    void migrationsOnlyAddWhatTheVersionBeforeNeedNotKnow() {
        var contracting = expanding("common", "postgresql", "cockroachdb")
                .filter(file -> contracts(SqlTexts.ofMigration(file)))
                .map(file -> file.subpath(file.getNameCount() - 2, file.getNameCount())
                        .toString());

        assertThat(contracting).containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
    }

    /** Whatever it does to tables that it makes itself. */
    private static boolean contracts(String sql) {
        var there = sql;
        for (var table : NEW_TABLE.matcher(sql).results().toList()) {
            there = there.replaceAll("(?i)CREATE UNIQUE INDEX \\w+ ON " + table.group(1) + "\\b", "");
        }
        var existing = there;
        return CONTRACTING.stream().anyMatch(step -> step.matcher(existing).find());
    }

    @Test
    void theRulesFindWhatTheyAreFor() {
        assertThat(List.of(
                        "ALTER TABLE t DROP COLUMN a;",
                        "ALTER TABLE t ADD COLUMN a text NOT NULL;",
                        "ALTER TABLE t RENAME TO u;",
                        "ALTER TABLE t ALTER COLUMN a TYPE bigint;",
                        "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0);",
                        "ALTER TABLE t DROP CONSTRAINT c;",
                        "DROP INDEX i;",
                        "DROP INDEX t@i;",
                        "CREATE UNIQUE INDEX i ON t (a);",
                        "CREATE UNIQUE INDEX CONCURRENTLY i ON t (a);",
                        "CREATE TABLE u (a text);\nCREATE UNIQUE INDEX i ON t (a);"))
                .allMatch(UpgradeTest::contracts);
        assertThat(List.of(
                        "ALTER TABLE t ADD COLUMN a text NOT NULL DEFAULT '';",
                        "ALTER TABLE t ADD COLUMN a text;",
                        "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID;",
                        "CREATE INDEX i ON t (a);",
                        "CREATE TABLE u (a text NOT NULL, CONSTRAINT c CHECK (a > 0));",
                        "CREATE TABLE u (a text);\nCREATE UNIQUE INDEX i ON u (a);"))
                .noneMatch(UpgradeTest::contracts);
    }

    /** CockroachDB makes every index while the table is written to. */
    @Test
    void indexesOfBigTablesAreMadeWhileTheyAreWrittenTo() {
        assertThat(expanding("common", "postgresql")).allSatisfy(file -> {
            var sql = SqlTexts.ofMigration(file);
            INDEX.matcher(sql)
                    .results()
                    .filter(index -> BIG.contains(index.group(2)))
                    .forEach(index -> {
                        assertThat(index.group(1))
                                .as(file + " locks " + index.group(2))
                                .isNotNull();
                        // It cannot be in a transaction, and so not with others.
                        assertThat(sql.strip().split(";")).as(file.toString()).hasSize(1);
                    });
        });
    }

    @Test
    void everyIndexThatAnInterruptionLeavesHalfMadeIsKnownToMigrations() {
        var left = new TreeMap<String, String>();
        expanding("common", "postgresql")
                .forEach(file -> HALF_MADE
                        .matcher(SqlTexts.ofMigration(file))
                        .results()
                        .forEach(index -> left.put(Integer.toString(version(file)), index.group(1))));

        assertThat(Migrations.INDEXES).isEqualTo(left);
    }

    @Test
    @NeedsOwnServer("It is about the dialect of PostgreSQL.")
    void statementsOfTheVersionBeforeRunOnThisSchema() throws IOException, SQLException {
        try (var db = TestDb.fresh();
                var connection = Jdbc.to(db)) {
            if (Boolean.getBoolean("taskexec.record-statements")) {
                record(connection);
            }
            @SuppressWarnings("unchecked")
            Map<String, String> before = new ObjectMapper().readValue(PREVIOUS.toFile(), Map.class);

            assertThat(before).hasSizeGreaterThan(100);
            var refused = new ArrayList<String>();
            before.forEach((name, sql) -> {
                var reason = prepare(connection, sql);
                if (!reason.isEmpty()) {
                    refused.add(name + ": " + reason);
                }
            });
            assertThat(refused).isEmpty();
        }
    }

    /** Parts of statements cannot be prepared, and are not recorded. */
    private static void record(Connection connection) throws IOException {
        var whole = new TreeMap<>(Statements.ofStore());
        whole.values().removeIf(sql -> !prepare(connection, sql).isEmpty());
        Files.createDirectories(PREVIOUS.getParent());
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(PREVIOUS.toFile(), whole);
    }

    private static String prepare(Connection connection, String sql) {
        try (var statement = connection.createStatement()) {
            var _ = statement.execute("PREPARE before AS " + sql);
            var _ = statement.execute("DEALLOCATE before");
            return "";
        } catch (SQLException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
