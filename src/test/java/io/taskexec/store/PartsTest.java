package io.taskexec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.TestDb;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A table or a column that somebody adds is exported, or it is said why not. */
@NeedsOwnServer("It reads the catalog of PostgreSQL.")
class PartsTest {
    private static TestDb db;

    @BeforeAll
    static void open() {
        db = TestDb.fresh();
    }

    @AfterAll
    static void close() {
        db.close();
    }

    private static Set<String> names(String sql) {
        return db.rows(sql).stream().map(row -> row.getString(0)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<String> columns(Part part) {
        return part.columns().stream().map(Part.Column::name).map(name -> part.table() + "." + name);
    }

    @Test
    void everyTableIsExportedOrLeftOutForAReason() {
        var tables = names("SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'"
                + " AND table_name <> 'flyway_schema_history'");
        var exported = Parts.ALL.stream().map(Part::table).collect(Collectors.toCollection(TreeSet::new));

        assertThat(exported).doesNotContainAnyElementsOf(Parts.LEFT_OUT.keySet());
        exported.addAll(Parts.LEFT_OUT.keySet());
        assertThat(exported).containsExactlyElementsOf(tables);
        assertThat(Parts.LEFT_OUT.values()).allMatch(reason -> reason.length() > 20);
    }

    @Test
    void everyColumnIsExportedOrLeftOut() {
        var there = names("SELECT table_name || '.' || column_name FROM information_schema.columns"
                + " WHERE table_schema = 'public' AND table_name <> 'flyway_schema_history'");
        there.removeIf(column -> Parts.LEFT_OUT.containsKey(column.split("\\.", 2)[0]));
        var exported = Parts.ALL.stream().flatMap(PartsTest::columns).collect(Collectors.toCollection(TreeSet::new));
        Parts.COLUMNS_LEFT_OUT.forEach(
                (table, columns) -> columns.forEach(column -> exported.add(table + "." + column)));

        assertThat(exported).containsExactlyElementsOf(there);
    }

    @Test
    void pagesFollowTheKeyOfEachTable() {
        assertThat(Parts.ALL).allSatisfy(part -> {
            var key = part.columns().stream()
                    .limit(part.keys())
                    .map(Part.Column::name)
                    .collect(Collectors.toSet());
            var primary = names("SELECT a.attname::text FROM pg_index i"
                    + " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)"
                    + " WHERE i.indisprimary AND i.indrelid = '" + part.table() + "'::regclass");
            // What is under way is read from another table, of which an execution has one row.
            assertThat(part.source().contains("AS attempt_number") ? Set.of("execution_id", "attempt_number") : key)
                    .as(part.name())
                    .isEqualTo(primary);
        });
    }

    @Test
    void whatMakesAnythingHappenComesLast() {
        assertThat(Parts.ALL.getLast().table()).isEqualTo("exec_live");
        assertThat(List.copyOf(Parts.ALL).stream().map(Part::name).toList())
                .containsSubsequence("queues", "secrets", "endpoints", "endpoint_callbacks", "jobs", "schedules");
    }
}
