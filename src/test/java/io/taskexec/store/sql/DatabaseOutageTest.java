package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Monitoring;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DatabaseOutageTest {
    private static final Pattern CODES = Pattern.compile("\\{code(!~|=~)\"([^\"]*)\"}");

    /** A statement that took too long is no conflict, and may well mean trouble. */
    @Test
    void conflictsOfStatementsRaiseAnAlertOfTheirOwn() {
        var conflicts = new TreeSet<>(DatabaseOutage.OF_STATEMENTS);
        conflicts.remove(DatabaseOutage.TIMED_OUT);

        assertCodes("TaskexecDatabaseTrouble", "!~", conflicts);
        assertCodes("TaskexecDatabaseConflicts", "=~", conflicts);
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
