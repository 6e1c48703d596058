package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Monitoring;
import io.taskexec.testing.RecordedLog;
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseOutageTest {
    private static final Pattern CODES = Pattern.compile("\\{code(!~|=~)\"([^\"]*)\"}");

    private final AtomicLong now = new AtomicLong();
    private final DatabaseOutage outage = new DatabaseOutage(now::get);

    /** A statement that took too long is no conflict, and may well mean trouble. */
    @Test
    void conflictsOfStatementsRaiseAnAlertOfTheirOwn() {
        var conflicts = new TreeSet<>(DatabaseOutage.OF_STATEMENTS);
        conflicts.remove(DatabaseOutage.TIMED_OUT);

        assertCodes("TaskexecDatabaseTrouble", "!~", conflicts);
        assertCodes("TaskexecDatabaseConflicts", "=~", conflicts);
    }

    /** A full disk, a server that has become read-only, and one that refuses new connections alone. */
    @ParameterizedTest
    @ValueSource(strings = {"53100", "25006", "28P01"})
    void whereSomeStatementsGoOnToWorkTheEndIsToldAfterALongCalm(String state) {
        try (var log = RecordedLog.of(Database.class)) {
            for (var i = 0; i < 5; i++) {
                fail(state);
                workAfter(DatabaseOutage.LONG_CALM.dividedBy(2));
            }
            assertThat(log.messages()).hasSize(1);

            workAfter(DatabaseOutage.LONG_CALM);
            assertThat(log.messages()).hasSize(2);
            assertThat(log.messages().getLast()).isEqualTo("the database outage is over after 60000 ms");

            fail("08006");
            workAfter(DatabaseOutage.CALM);
            assertThat(log.messages()).hasSize(4);
        }
    }

    /** Others may be well, so workers that are dead must be found. */
    @Test
    void aStatementWithoutALockIsNoOutageAndTheLogSaysSoOnceAMinute() {
        try (var log = RecordedLog.of(Database.class)) {
            fail("53200");
            fail("57014");
            fail("53200");

            assertThat(log.messages()).hasSize(2).first().asString().contains("53200", "max_locks_per_transaction");
        }
        assertThat(DatabaseOutage.isTransient(failure("53200"))).isTrue();
        assertThat(outage.within(Duration.ofHours(1))).isFalse();
    }

    /** Others may be well, as above: a single file cannot be read. */
    @Test
    void aStatementWhoseFileCannotBeReadMayWorkLaterAndIsNoOutage() {
        try (var log = RecordedLog.of(Database.class)) {
            fail("58030");
            fail("58P01");

            assertThat(log.messages()).singleElement().asString().contains("58030", "see its log");
        }
        assertThat(DatabaseOutage.isTransient(failure("58030"))).isTrue();
        assertThat(outage.within(Duration.ofHours(1))).isFalse();
        outage.mayHaveLostAnswer(failure("58030"));
        assertThat(outage.answerLostAt()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"28P01", "28000", "3D000", "57P03", "25006", "53300"})
    void aRefusalIsTransientAndLosesNoAnswer(String state) {
        assertThat(DatabaseOutage.isTransient(failure(state))).isTrue();

        outage.mayHaveLostAnswer(failure(state));
        assertThat(outage.answerLostAt()).isNull();

        outage.mayHaveLostAnswer(failure("57P01"));
        assertThat(outage.answerLostAt()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"42501", "42P01", "3F000", "22003", "23505", "25001"})
    void whatIsWrongWithAStatementStaysWrong(String state) {
        assertThat(DatabaseOutage.isTransient(failure(state))).isFalse();
    }

    private void fail(String state) {
        assertThat(outage.failed(failure(state))).isNotNull();
    }

    private static PgException failure(String state) {
        return new PgException("on purpose", "ERROR", state, "");
    }

    private void workAfter(Duration time) {
        now.addAndGet(time.toNanos());
        outage.worked();
    }

    private static void assertCodes(String name, String operator, Set<String> codes) {
        var alert = Monitoring.alerts().stream()
                .filter(one -> one.path("alert").asText().equals(name))
                .findFirst()
                .orElseThrow();
        var found = CODES.matcher(alert.path("expr").asText());

        assertThat(found.find()).as(name).isTrue();
        assertThat(found.group(1)).isEqualTo(operator);
        assertThat(found.group(2).split("\\|", -1)).containsExactlyInAnyOrderElementsOf(codes);
    }
}
