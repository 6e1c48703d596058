package io.taskexec.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.taskexec.model.Json;
import io.taskexec.model.PublicId;
import io.taskexec.template.Scope;
import io.taskexec.template.Template;
import io.taskexec.testing.Jdbc;
import io.taskexec.testing.NeedsOwnServer;
import io.vertx.pgclient.PgException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLException;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts and numbers are the same in SQL and in Java, however they are written and read. */
@NeedsOwnServer("The functions are only for PostgreSQL.")
class SqlFlowKeysTest {
    private static JobBed bed;

    @BeforeAll
    static void open() {
        bed = new JobBed();
        SqlFunctions.announceRegion(bed.db, false);
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    private static String byFunction(String number) {
        return bed.db
                .row("SELECT taskexec_flow_key('e', '{{input.x}}', $1::text::json)", "{\"x\": %s }".formatted(number))
                .getString(0);
    }

    private static String byTemplate(String number) {
        try {
            var input = Json.parse("{\"x\": %s }".formatted(number));
            return Template.parse("{{input.x}}").text(new Scope(input, null, _ -> null));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "0.0",
                "-0.0",
                "0.000000",
                "-0.000000",
                "-0.5",
                "0.50",
                "1.50",
                "-1.000000000",
                "-12",
                "100",
                "0.000001",
                "-0.00000100",
                "10.0000000",
                "123456789012345678901234567890",
                "-123456789012345678901234567890.0987654321"
            })
    void aNumberHasTheTextThatJavaGivesIt(String number) {
        assertThat(byFunction(number)).isEqualTo(byTemplate(number));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1E+2", "1e2", "1.5e0", "-1e-3", "0e0", "0.0000001", "-0.00000012", "0.0000000"})
    void aNumberWithAnExponentIsRefusedWithTheReason(String number) {
        assertThatThrownBy(() -> byFunction(number)).isInstanceOfSatisfying(PgException.class, e -> {
            assertThat(e.getSqlState()).isEqualTo("TX422");
            assertThat(e.getDetail()).isEqualTo("TEMPLATE_RESOLUTION_FAILED");
            assertThat(e.getMessage())
                    .contains("The flow key '{{input.x}}' of endpoint 'e' has no value: 'input.x' is a number with an"
                            + " exponent, or so small that it would have one, which SQL cannot write: use POST /jobs.");
        });
    }

    @Test
    void aNumberIsRefusedOnlyIfJavaWritesItWithAnExponent() {
        var seed = System.nanoTime();
        var random = new Random(seed);
        for (var n = 0; n < 300; n++) {
            var digits = new BigInteger(random.nextInt(40), random);
            var number = new BigDecimal(random.nextBoolean() ? digits : digits.negate(), random.nextInt(14));
            var written = number.toPlainString();
            var byTemplate = byTemplate(written);
            if (byTemplate.contains("E")) {
                assertThatThrownBy(() -> byFunction(written))
                        .as("seed %d: %s", seed, written)
                        .isInstanceOf(PgException.class);
            } else {
                assertThat(byFunction(written)).as("seed %d: %s", seed, written).isEqualTo(byTemplate);
            }
        }
    }

    /** A connection that has prepared nothing yet, since what is prepared keeps the meaning of its strings. */
    @Test
    void theWayThatAConnectionReadsStringsChangesNothing() throws SQLException {
        bed.rows.endpoint("keyed").insert();
        bed.db.execute("UPDATE endpoint_versions SET flow = $1::text::json WHERE name = 'keyed'", """
                {"key": "{{input.a-b[0]}}\\\\{{", "max_concurrency": 1, "order": "any", "fair": false}""");
        bed.rows.flowPolicy("keyed", "max_concurrency, fifo", "1, false");
        try (var connection = Jdbc.to(bed.db);
                var statement = connection.createStatement()) {
            var _ = statement.execute("SET standard_conforming_strings = off");

            var created = statement.executeQuery("SELECT taskexec_api.create_job('keyed', 'ä😀',"
                    + " '{\"a-b\": [1.50], \"😀\": {}}', run_at => '2090-03-15T18:00:00.120Z')");

            assertThat(created.next()).isTrue();
            var byApi = bed.create("{'endpoint': 'keyed', 'idempotency_key': 'ä😀',"
                    + " 'input': {'a-b': [1.50], '😀': {}}, 'run_at': '2090-03-15T18:00:00.120Z'}");
            assertThat(created.getString(1)).isEqualTo(PublicId.JOB.show(byApi.id()));
            assertThat(bed.db.row("SELECT flow_key FROM jobs").getString(0)).isEqualTo("1.50{{");
        }
    }
}
