package io.taskexec.dispatch.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "120, PT2M",
        "' 7 ', PT7S",
        "999999999999999999, P365D",
        "'Sun, 01 Mar 2026 12:00:30 GMT', PT30S",
        "'Sun, 01 Mar 2026 12:00:00 GMT', PT0S",
        "'Fri, 31 Dec 9999 23:59:59 GMT', P365D"
    })
    void readsSecondsAndDates(String value, Duration wait) {
        assertThat(RetryAfter.parse(value, NOW)).isEqualTo(wait);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "-1",
                "1.5",
                "soon",
                "1e3",
                "+5",
                "99999999999999999999",
                "٣",
                "Sun, 01 Mar 2026 11:59:59 GMT",
                "2026-03-01T12:00:30Z"
            })
    void ignoresWhatMakesNoSense(@Nullable String value) {
        assertThat(RetryAfter.parse(value, NOW)).isNull();
    }

    @Test
    void countsFractionsOfASecond() {
        assertThat(RetryAfter.parse("Sun, 01 Mar 2026 12:00:30 GMT", NOW.plusMillis(500)))
                .isEqualTo(Duration.ofMillis(29_500));
    }
}
