package io.taskexec.store.invariant;

import io.taskexec.model.Finding;
import io.taskexec.model.Invariant;
import io.taskexec.model.Invariant.Severity;

/**
 * An invariant and the statement that finds where it does not hold.
 *
 * @param sql returns the ids of what violates it; $1 is how many rows of a table may be looked at
 */
public record InvariantQuery(Invariant invariant, String sql) {
    // A scalar subquery for each row, and not an anti-join, in all of these statements: whatever the statistics say, it
    // is a look into the primary key and never a scan of history.

    /** The id of those made half a day ago, as ids are UUIDv7: by it a primary key finds what is recent. */
    static final String HALF_A_DAY_AGO = """
            (lpad(to_hex((extract(epoch FROM now() - interval '12 hours') * 1000)::bigint), 12, '0')
              || '70008000000000000000')::uuid
            """;

    static InvariantQuery violation(String name, String sentence, String sql) {
        return new InvariantQuery(new Invariant(name, sentence, Severity.VIOLATION), sql);
    }

    static InvariantQuery warning(String name, String sentence, String sql) {
        return new InvariantQuery(new Invariant(name, sentence, Severity.WARNING), sql);
    }

    /** How many there are, with a few of them. */
    public String counted() {
        return "SELECT v.id, count(*) OVER () AS total FROM (" + sql + ") AS v LIMIT " + Finding.MAX_EXAMPLES;
    }

    /** The public form of an id. */
    static String show(String prefix, String column) {
        return "'" + prefix + "' || replace(" + column + "::text, '-', '')";
    }
}
