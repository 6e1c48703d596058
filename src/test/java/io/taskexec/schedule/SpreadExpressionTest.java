package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Proposes expressions with H. */
class SpreadExpressionTest {
    private static final Instant MONDAY = Instant.parse("2026-03-02T00:00:00Z");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 * * * *            | H * * * *
            30 3 * * MON-FRI     | H 3 * * MON-FRI
            */15 * * * *         | H/15 * * * *
            0,30 9-17 * * *      | H/30 9-17 * * *
            7-59/20 * * * *      | H/20 * * * *
            0 */6 * * *          | H H/6 * * *
            0 */5 * * *          | H */5 * * *
            @hourly              | H * * * *
            @daily               | H 0 * * *
            @weekly              | H 0 * * 0
            0 0 1 jan *          | H 0 1 jan *
            """)
    void aFixedMinuteBecomesHashed(String expression, String proposed) {
        assertThat(SpreadExpression.of(expression, "UTC")).isEqualTo(proposed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"* * * * *", "*/7 * * * *", "0,10 * * * *", "1-5 * * * *", "H * * * *", "h/15 3 * * *"})
    void nothingIsProposedForOtherMinutes(String expression) {
        assertThat(SpreadExpression.of(expression, "UTC")).isNull();
    }

    @Test
    void whereTheClockChangesTheHourStays() {
        assertThat(SpreadExpression.of("0 */6 * * *", "Europe/Berlin")).isEqualTo("H */6 * * *");
    }

    @Test
    void theProposalFiresAsOften() {
        for (var expression : new String[] {"0 * * * *", "*/15 * * * *", "0,30 9-17 * * *", "0 */6 * * *", "@daily"}) {
            var proposed = String.valueOf(SpreadExpression.of(expression, "UTC"));
            for (var seed = 0; seed < 100; seed++) {
                assertThat(ticks(CronSchedule.parse(proposed, "UTC", seed)))
                        .as(proposed)
                        .isEqualTo(ticks(CronSchedule.parse(expression, "UTC")));
            }
        }
    }

    private static int ticks(CronSchedule schedule) {
        return schedule.between(
                        MONDAY.minusNanos(1), MONDAY.plusSeconds(604_800).minusNanos(1), 20_000)
                .size();
    }
}
