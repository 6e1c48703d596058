package io.taskexec.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.chaos.Deliveries.Delivery;
import io.taskexec.testing.ServerDb;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Compares what was accepted, what arrived and what is recorded, after everything has ended. */
final class Verdict {
    private final ServerDb database;
    private final List<Delivery> deliveries;
    private final Map<String, String> recorded = new HashMap<>();

    Verdict(ServerDb database, List<Delivery> deliveries) {
        this.database = database;
        this.deliveries = deliveries;
        recordedAttempts();
    }

    /** Each attempt as {@code execution#number}, with its state and its worker. */
    private void recordedAttempts() {
        database.texts("""
                SELECT 'exec_' || replace(execution_id::text, '-', '') || '#' || attempt_number || ' ' || status
                  || ' ' || coalesce(worker_id::text, '-') FROM attempts
                UNION ALL
                SELECT 'exec_' || replace(execution_id::text, '-', '') || '#' || attempt_count || ' ' || status
                  || ' ' || coalesce(worker_id::text, '-') FROM executions
                """).forEach(row -> {
            var words = row.split(" ", 2);
            assertThat(recorded.put(words[0], words[1]))
                    .as("recorded twice: " + row)
                    .isNull();
        });
    }

    /** Every accepted job is there, has one execution, and that has ended as it must. */
    void nothingIsLost(Map<String, Traffic> accepted) {
        var ends = new HashMap<String, String>();
        database.texts("""
                SELECT j.idempotency_key || ' ' || coalesce(string_agg(x.status, '+'), 'without execution')
                FROM jobs j LEFT JOIN executions x USING (job_id) WHERE j.trigger_type IN ('IMMEDIATE', 'DELAYED')
                GROUP BY j.job_id
                """).forEach(row -> {
            var words = row.split(" ", 2);
            assertThat(ends.put(words[0], words[1]))
                    .as("two jobs of " + words[0])
                    .isNull();
        });
        var expected = accepted.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().end()));
        assertThat(differences(expected, ends)).as("jobs that ended otherwise").isEmpty();
    }

    /** A comparison of two big maps that can be printed. */
    private static Map<String, String> differences(Map<String, String> expected, Map<String, String> actual) {
        var keys = new HashSet<>(expected.keySet());
        keys.addAll(actual.keySet());
        return keys.stream()
                .filter(key -> !expected.getOrDefault(key, "").equals(actual.get(key)))
                .collect(Collectors.toMap(
                        key -> key, key -> expected.get(key) + " was expected, but is " + actual.get(key)));
    }

    /** Attempts are numbered without a gap, the retry budget was kept, and each result has been delivered. */
    void everyAttemptIsAccountedFor() {
        assertThat(database.texts("""
                        SELECT execution_id FROM executions x WHERE attempt_count <> 1 +
                          (SELECT count(*) FROM attempts a WHERE a.execution_id = x.execution_id)
                        """)).as("attempts are missing").isEmpty();
        assertThat(database.texts("""
                        SELECT execution_id FROM executions x JOIN jobs USING (job_id)
                        WHERE x.status = 'FAILED' AND CASE endpoint WHEN '%s' THEN 3 ELSE 1 END <> 1 +
                          (SELECT count(*) FROM attempts a WHERE a.execution_id = x.execution_id AND a.status = \
                          'FAILED')
                        """.formatted(Traffic.HOPELESS.endpoint())))
                .as("failed attempts")
                .isEmpty();
        var delivered = deliveries.stream().map(Verdict::attempt).collect(Collectors.toSet());
        assertThat(recorded.entrySet().stream()
                        .filter(entry -> entry.getValue().startsWith("SUCCESS")
                                || entry.getValue().startsWith("FAILED"))
                        .map(Map.Entry::getKey)
                        .filter(attempt -> !delivered.contains(attempt)))
                .as("recorded, but never delivered")
                .isEmpty();
        assertThat(delivered.stream().filter(attempt -> !recorded.containsKey(attempt)))
                .as("delivered, but never recorded")
                .isEmpty();
    }

    private static String attempt(Delivery delivery) {
        return delivery.execution() + "#" + delivery.attempt();
    }

    /**
     * Each attempt was delivered once at most, and one that was delivered and not recorded as such had a worker that
     * was struck.
     *
     * @param struck the ids of those workers
     * @return how many executions succeeded more than once
     */
    long onlyTheStruckDeliveredAgain(Set<String> struck) {
        var times = deliveries.stream().collect(Collectors.groupingBy(Verdict::attempt, Collectors.counting()));
        assertThat(times.entrySet().stream().filter(entry -> entry.getValue() > 1))
                .as("attempts that were delivered twice")
                .isEmpty();
        assertThat(recorded.entrySet().stream()
                        .filter(entry -> times.containsKey(entry.getKey()))
                        .filter(entry -> entry.getValue().matches("(LOST|INTERRUPTED) .*"))
                        .filter(entry -> !struck.contains(entry.getValue().split(" ", 2)[1])))
                .as("delivered in vain, though nothing happened to the worker")
                .isEmpty();
        return deliveries.stream()
                .filter(Delivery::succeeded)
                .collect(Collectors.groupingBy(Delivery::execution, Collectors.counting()))
                .values()
                .stream()
                .filter(successes -> successes > 1)
                .count();
    }

    /** Every tick is in the ledger once, and what it has fired has been delivered. */
    void everyTickIsInTheLedger() {
        assertThat(database.number("SELECT count(*) FROM ticks WHERE outcome = 'FIRED'"))
                .as("ticks fired")
                .isPositive();
        assertThat(database.texts("""
                        SELECT coalesce(t.execution_id, x.execution_id) FROM
                          (SELECT execution_id FROM ticks WHERE outcome = 'FIRED') AS t FULL JOIN
                          (SELECT execution_id FROM executions JOIN jobs USING (job_id)
                           WHERE endpoint = '%s' AND executions.status = 'SUCCESS') AS x USING (execution_id)
                        WHERE t.execution_id IS NULL OR x.execution_id IS NULL
                        """.formatted(Traffic.TICK.endpoint())))
                .as("fired and executed")
                .isEmpty();
    }

    /** How many attempts there were in this state. */
    long attempts(String state) {
        return recorded.values().stream()
                .filter(value -> value.startsWith(state))
                .count();
    }
}
