package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HashedFieldTest {
    /** Written down, because a job must keep its time through releases. */
    @ParameterizedTest
    @CsvSource({
        "H H * * *, 1, 2 4 * * *",
        "H/15 * * * *, 1, 2-59/15 * * * *",
        "H H(0-7) H * H, 42, 1 4 16 * 4",
        "'H,H(30-59)/20 H/8 * H *', -7, '2,32-59/20 5-23/8 * 12 *'"
    })
    void hashedValuesAreStable(String expression, long seed, String normalized) {
        assertThat(CronSchedule.parse(expression, "UTC", seed).normalized()).isEqualTo(normalized);
    }

    @ParameterizedTest
    @CsvSource({
        "H * * * *, 0, 0, 59",
        "H(10-19) * * * *, 0, 10, 19",
        "* H * * *, 1, 0, 23",
        "* H(22-23) * * *, 1, 22, 23",
        "0 0 H * *, 2, 1, 28",
        "0 0 H(29-31) * *, 2, 29, 31",
        "0 0 1 H *, 3, 1, 12",
        "0 0 * * H, 4, 0, 6"
    })
    void seedsSpreadOverExactlyTheRange(String expression, int field, int min, int max) {
        var random = new Random(1);
        var values = new HashSet<Integer>();
        for (var i = 0; i < 2_000; i++) {
            var fields = CronSchedule.parse(expression, "UTC", random.nextLong())
                    .normalized()
                    .split(" ", -1);
            values.add(Integer.valueOf(fields[field]));
        }

        assertThat(values).hasSize(max - min + 1).allMatch(value -> min <= value && value <= max);
    }

    @Test
    void neighbouringSeedsSpreadEvenly() {
        var counts = new int[60];
        for (var seed = 0; seed < 60_000; seed++) {
            var minute =
                    CronSchedule.parse("H * * * *", "UTC", seed).normalized().split(" ", -1)[0];
            counts[Integer.parseInt(minute)]++;
        }

        assertThat(Arrays.stream(counts).boxed()).allMatch(count -> count > 850 && count < 1_150);
    }

    @Test
    void aHashedStepKeepsItsDistance() {
        for (var seed = 0; seed < 100; seed++) {
            var schedule = CronSchedule.parse("H/15 * * * *", "UTC", seed);
            assertThat(schedule.normalized()).matches("([0-9]|1[0-4])-59/15 \\* \\* \\* \\*");
        }
    }

    @Test
    void aHashedExpressionFiresAsItsNormalizedFormDoes() {
        for (var seed = 0L; seed < 50; seed++) {
            var hashed = CronSchedule.parse("H/20,H(1-5) H(9-17)/3 H * *", "Europe/Berlin", seed);
            var plain = CronSchedule.parse(hashed.normalized(), "Europe/Berlin");
            var from = Instant.parse("2026-01-01T00:00:00Z");
            assertThat(hashed.preview(from, 20))
                    .isEqualTo(plain.preview(from, 20))
                    .hasSize(20);
        }
    }

    @Test
    void withoutASeedTheSeedIsZero() {
        for (var expression : List.of("H * * * *", "H H * * *")) {
            assertThat(CronSchedule.parse(expression, "UTC").normalized())
                    .isEqualTo(CronSchedule.parse(expression, "UTC", 0).normalized());
        }
    }

    @Test
    void namesWithAnHAreNoHashes() {
        assertThat(CronSchedule.parse("0 0 * MAR THU", "UTC").normalized()).isEqualTo("0 0 * MAR THU");
    }
}
