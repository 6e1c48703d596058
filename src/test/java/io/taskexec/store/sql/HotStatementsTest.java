package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.job.JobInsert;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.testing.Jdbc;
import io.taskexec.testing.JobForms;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.TestDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Keeps the hot statements that are assembled from parts as files, whole and ready for psql: a difference in a file
 * shows what a change of a part does. {@code -Dtaskexec.sql.write=true} writes the files anew.
 */
class HotStatementsTest {
    private static final Path FOLDER = Path.of("src/test/resources/sql");
    private static final Pattern PARAMETER = Pattern.compile("\\$(\\d+)::([a-z0-9]+(?:\\[])?)");
    private static final Pattern CTE =
            Pattern.compile("(?:WITH|,)\\s+([a-z_]+) AS (?:MATERIALIZED )?\\(\\s*(?:SELECT|INSERT|UPDATE|DELETE)");

    private static final Pattern BARE_IN =
            Pattern.compile("\\b(?:WHERE|AND)\\s+(?:[\\w.]+|\\([\\w., ]+\\))\\s+IN\\s*\\(\\s*SELECT");

    /** The names of the files by the names of the constants. */
    static final Map<String, String> FILES = Map.ofEntries(
            Map.entry("ClaimStatement.PLAIN alone", "claim_executions"),
            Map.entry("ClaimStatement.PLAIN withEvents", "claim_executions_with_events"),
            Map.entry("ClaimStatement.PLAIN_MEASURED alone", "claim_executions_measured"),
            Map.entry("ClaimStatement.PLAIN_MEASURED withEvents", "claim_executions_measured_with_events"),
            Map.entry("ClaimStatement.MARKED alone", "claim_marked_executions"),
            Map.entry("ClaimStatement.MARKED withEvents", "claim_marked_executions_with_events"),
            Map.entry("ClaimStatement.MARKED_MEASURED alone", "claim_marked_executions_measured"),
            Map.entry("ClaimStatement.MARKED_MEASURED withEvents", "claim_marked_executions_measured_with_events"),
            Map.entry("ClaimStatement.KEYED alone", "claim_keyed_executions"),
            Map.entry("ClaimStatement.SHARED alone", "claim_shares"),
            Map.entry("ClaimStatement.KEYED_SHARED alone", "claim_keyed_shares"),
            Map.entry("ClaimStatement.PULLED alone", "claim_for_pull_workers"),
            Map.entry("ClaimStatement.KEYED_PULLED alone", "claim_keyed_for_pull_workers"),
            Map.entry("PulledClaims.FIND", "find_leases_of_pull_workers"),
            Map.entry("LaneDirectory.READ", "read_lane_directory"),
            Map.entry("DependencyStatement.TAKE", "take_ended_parents"),
            Map.entry("DependencyStatement.COUNT alone", "count_ended_parents"),
            Map.entry("FlowReleases.RELEASE", "release_keyed_executions"),
            Map.entry("JobInsert.of keyed alone", "create_keyed_jobs"),
            Map.entry("ResultStatement.END_LINKED alone", "end_linked_executions"),
            Map.entry("ResultStatement.RETRY_KEYED alone", "retry_keyed_executions"),
            Map.entry("DeferralStatement.DEFER alone", "defer_executions"),
            Map.entry("DeferralStatement.STAY", "leave_deferred_executions"),
            Map.entry("CallbackClaims.TAKE", "take_leases_for_callbacks"),
            Map.entry("ReportStore.REPORT alone", "record_reports"),
            Map.entry("LeaseStore.EXTEND", "extend_leases"),
            Map.entry("LeaseStore.HAND_BACK", "hand_back_executions"),
            Map.entry("ResultStatement.END alone", "end_executions"),
            Map.entry("ResultStatement.END withEvents", "end_executions_with_events"),
            Map.entry("ResultStatement.END_WITH_CALLBACKS alone", "end_executions_with_callbacks"),
            Map.entry("ResultStatement.END_WITH_CALLBACKS withEvents", "end_executions_with_callbacks_and_events"),
            Map.entry("ResultStatement.RETRY alone", "retry_executions"),
            Map.entry("ResultStatement.RETRY withEvents", "retry_executions_with_events"),
            Map.entry("ResultStatement.WAIT", "delay_executions"),
            Map.entry("JobInsert.of alone", "create_jobs"),
            Map.entry("JobInsert.of starting alone", "create_started_jobs"),
            Map.entry("JobInsert.of withEvents", "create_jobs_with_events"),
            Map.entry("JobInsert.of tagged alone", "create_tagged_jobs"),
            Map.entry("JobInsert.of tagged withEvents", "create_tagged_jobs_with_events"),
            Map.entry("TickStore.ADVANCE alone", "advance_schedules"),
            Map.entry("TickStore.ADVANCE withEvents", "advance_schedules_with_events"),
            Map.entry("BufferedTickStore.RELEASE alone", "release_buffered_ticks"),
            Map.entry("BufferedTickStore.RELEASE withEvents", "release_buffered_ticks_with_events"));

    static Map<String, String> statements() {
        var all = new TreeMap<>(Statements.ofStore());
        add(all, "JobInsert.of", JobInsert.of(JobForms.PLAIN, HomeRegion.DEFAULT));
        add(all, "JobInsert.of starting", JobInsert.of(JobForms.STARTING, HomeRegion.DEFAULT));
        add(all, "JobInsert.of tagged", JobInsert.of(JobForms.TAGGED, HomeRegion.DEFAULT));
        add(all, "JobInsert.of keyed", JobInsert.of(JobForms.KEYED, HomeRegion.DEFAULT));
        return all;
    }

    private static void add(Map<String, String> all, String name, EventedStatement statement) {
        all.put(name + " alone", statement.alone());
        all.put(name + " withEvents", statement.withEvents());
    }

    /** Contents by the names of files. */
    private static Map<String, String> expected() {
        var statements = statements();
        var files = new TreeMap<String, String>();
        FILES.forEach((constant, file) -> files.put(
                file + ".sql",
                pasteable(
                        constant,
                        file,
                        Dialect.POSTGRESQL.keepingPlan(Objects.requireNonNull(statements.get(constant), constant)))));
        return files;
    }

    /** The parameters have their types beside them, and PREPARE says them once more. */
    private static String pasteable(String constant, String name, String sql) {
        var types = new TreeMap<Integer, String>();
        PARAMETER
                .matcher(sql)
                .results()
                .forEach(found -> types.putIfAbsent(Integer.valueOf(found.group(1)), found.group(2)));
        var comment = types.entrySet().stream()
                .map(type -> "$" + type.getKey() + " " + type.getValue())
                .collect(Collectors.joining(", "));
        return "-- %s: %s%nPREPARE %s (%s) AS%n%s;%n"
                .formatted(constant, comment, name, String.join(", ", types.values()), sql.strip());
    }

    private static Map<String, String> found() throws IOException {
        try (var files = Files.list(FOLDER)) {
            var found = new TreeMap<String, String>();
            for (var file : files.toList()) {
                found.put(file.getFileName().toString(), Files.readString(file));
            }
            return found;
        }
    }

    @Test
    void theFilesHaveWhatTheProgramRuns() throws IOException {
        var expected = expected();
        if (Boolean.getBoolean("taskexec.sql.write")) {
            for (var file : expected.entrySet()) {
                Files.writeString(FOLDER.resolve(file.getKey()), file.getValue());
            }
        }

        assertThat(found()).containsExactlyEntriesOf(expected);
    }

    @Test
    @NeedsOwnServer("It is about the dialect of PostgreSQL.")
    void theFilesCanBePasted() throws IOException, SQLException {
        try (var db = TestDb.fresh();
                var connection = Jdbc.to(db);
                var statement = connection.createStatement()) {
            for (var file : found().values()) {
                var _ = statement.execute(file);
            }
        }
    }

    @Test
    void everyStatementIsShortEnoughToStayPrepared() {
        assertThat(statements())
                .allSatisfy((name, sql) -> assertThat(sql).as(name).hasSizeLessThan(Connections.LONGEST_PREPARED));
    }

    /**
     * PostgreSQL may make a join of {@code WHERE a IN (SELECT ...)}, out of which a row falls that another transaction
     * has changed: what was to be changed as well is not. An array stays what it is.
     */
    @Test
    void noConditionIsABareInOfASubquery() {
        assertThat("DELETE FROM a WHERE b IN (SELECT c FROM d)")
                .matches(sql -> BARE_IN.matcher(sql).find());
        assertThat("WHERE (b IN (SELECT c FROM d)) IS TRUE")
                .matches(sql -> !BARE_IN.matcher(sql).find());
        assertThat(SqlTexts.ofProgram())
                .filteredOn(sql -> BARE_IN.matcher(sql).find())
                .isEmpty();
    }

    @Test
    void everyCommonTableExpressionHasAWordForAName() {
        var names = statements().values().stream()
                .flatMap(sql -> CTE.matcher(sql).results().map(found -> found.group(1)))
                .collect(Collectors.toSet());

        assertThat(names).contains("due", "claimed", "ended", "released", "events", "old");
        assertThat(names).allMatch(name -> name.length() > 2, "a word");
    }
}
