package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DialectTest {
    private static final String SQL = "SELECT a[$1::int] FROM t WHERE id = ANY($2::uuid[]) LIMIT $3::bigint";

    @Test
    void thePlannerOfPostgreSqlDoesNotSeeHowMuchIsAskedFor() {
        assertThat(Dialect.POSTGRESQL.keepingPlan(SQL))
                .isEqualTo("SELECT a[$1::int] FROM t WHERE id = ANY((SELECT $2::uuid[])::uuid[])"
                        + " LIMIT (SELECT $3::bigint)");
    }

    @Test
    void cockroachDbGetsTheStatementAsItIsWritten() {
        assertThat(Dialect.COCKROACHDB.keepingPlan(SQL)).isEqualTo(SQL);
    }

    @Test
    void whatIsHiddenOnceIsNotHiddenAgain() {
        var hidden = Dialect.POSTGRESQL.keepingPlan(SQL);

        assertThat(Dialect.POSTGRESQL.keepingPlan(hidden)).isEqualTo(hidden);
    }
}
