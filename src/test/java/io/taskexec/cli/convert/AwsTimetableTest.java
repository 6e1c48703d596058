package io.taskexec.cli.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AwsTimetableTest {
    private static final Instant NOW = Instant.parse("2026-11-23T00:00:00Z");

    private final Draft draft = new Draft("", "a");

    private void set(String expression) throws NoEquivalentException {
        new AwsTimetable(new TimetableDraft(draft, NOW), "Europe/Berlin", null, null).set(expression);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cron(0 10 * * ? *)            | 0 10 * * *",
                "cron(15 12 ? * 1 *)           | 15 12 * * SUN",
                "cron(0 18 ? * MON-FRI *)      | 0 18 * * MON-FRI",
                "cron(0 8 1 * ? *)             | 0 8 1 * *",
                "cron(0/10 * ? * 2-6 *)        | 0/10 * * * MON-FRI",
                "cron(0/5 8-17 ? * mon,wed *)  | 0/5 8-17 * * MON,WED",
                "cron(0 9 ? * 2#1 *)           | 0 9 * * MON#1",
                "cron(0 9 ? * 7L *)            | 0 9 * * SATL",
                "cron(0 9 ? * FRIL *)          | 0 9 * * FRIL",
                "cron(0 9 ? * L *)             | 0 9 * * SAT",
                "cron(0 9 L * ? *)             | 0 9 L * *",
                "cron(0 9 3W JAN,JUN ? *)      | 0 9 3W JAN,JUN *",
                // Steps end on Saturday, and ranges may go beyond it.
                "cron(0 9 ? * 2/2 *)           | 0 9 * * MON,WED,FRI",
                "cron(0 9 ? * 6-2 *)           | 0 9 * * FRI,SAT,SUN,MON",
                "cron(0 9 ? * */2 *)           | 0 9 * * SUN-SAT/2",
                "cron(0 9 ? * 2-6/2 *)         | 0 9 * * MON,WED,FRI",
            })
    void aCronExpressionHasTheSameTimes(String expression, String cron) throws Exception {
        set(expression);

        assertThat(draft.job().path("cron").asText()).isEqualTo(cron);
        assertThat(draft.job().path("timezone").asText()).isEqualTo("Europe/Berlin");
    }

    @Test
    void aRateIsAnInterval() throws Exception {
        set("rate(1 day)");

        assertThat(draft.job().path("every").asText()).isEqualTo("PT24H");
    }

    @Test
    void yearsAreTheBeginningAndTheEnd() throws Exception {
        set("cron(0 9 * * ? 2027,2028-2029)");

        assertThat(draft.job().path("starts_at").asText()).isEqualTo("2026-12-31T23:00:00Z");
        assertThat(draft.job().path("ends_at").asText()).isEqualTo("2029-12-31T23:00:00Z");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "at(2027-03-28T09:00:00)       | it fires once, and manifests have schedules alone.",
                "at(2025-03-28T09:00:00)       | it has ended, at 2025-03-28T09:00+01:00.",
                "at(tomorrow)                  | the expression 'at(tomorrow) Europe/Berlin' is not known.",
                "cron(0 9 * * ? 2024)          | it has ended.",
                "cron(0 9 * * ? 2027,2029)     | the years 2027,2029 are not one span of time.",
                "cron(0 9 * * ? 2027/2)        | the years 2027/2 are not one span of time.",
                "cron(0 9 * * ?)               | the expression 'cron(0 9 * * ?)' is not known.",
                "cron(0 9 ? * 8 *)             | the day of the week 8 is not known.",
                "cron(0 9 31 2 ? *)            | The cron expression '0 9 31 2 *' never fires",
                "rate(5 weeks)                 | the expression 'rate(5 weeks)' is not known.",
                "every day                     | the expression 'every day' is not known.",
            })
    void theRestHasNoEquivalent(String expression, String reason) {
        assertThatThrownBy(() -> set(expression))
                .isInstanceOf(NoEquivalentException.class)
                .hasMessageStartingWith(reason);
    }
}
