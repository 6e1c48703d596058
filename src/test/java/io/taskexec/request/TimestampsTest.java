package io.taskexec.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-20T08:30:00Z",
                "2026-11-20T08:30:00.007Z",
                "2024-02-29T23:59:59.999Z",
                "0001-01-01T00:00:00Z",
                "9999-12-31T23:59:59.999Z",
                "2026-11-20T08:30Z",
                "2026-11-20T08:30:00.1Z",
                "2026-11-20T08:30:00.123456Z",
                "2026-11-20T08:30:00+05:30",
                "2026-11-20T08:30:00-00:00",
                "2026-11-20t08:30:00z"
            })
    void aTimeMeansWhatTheGeneralParserReads(String text) {
        assertThat(Timestamps.parse(text)).isEqualTo(OffsetDateTime.parse(text).toInstant());
    }

    @Test
    void anOffsetMayLackItsColonAsPythonWritesIt() {
        assertThat(Timestamps.parse("2026-11-20T08:30:00.123456+0530"))
                .isEqualTo(Instant.parse("2026-11-20T03:00:00.123456Z"));
        assertThat(Timestamps.parse("2026-11-20T08:30:00-0000")).isEqualTo(Instant.parse("2026-11-20T08:30:00Z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-02-29T08:30:00Z",
                "2026-13-01T08:30:00Z",
                "2026-11-20T24:00:00Z",
                "2026-11-20T23:60:00Z",
                "2026-11-20T23:59:60Z",
                "2026-11-20T08:30:00",
                "2026-11-20T08:30:00+2500",
                "2026-11-20T08:30:00+053",
                "2026-11-20 08:30:00Z",
                "+2026-11-20T08:30:00Z",
                "2026-11-20T+8:30:00Z",
                "٢٠٢٦-11-20T08:30:00Z",
                "0000-01-01T00:00:00Z",
                ""
            })
    void whatIsNoTimeIsRefused(String text) {
        assertThatThrownBy(() -> Timestamps.parse(text)).isInstanceOf(DateTimeParseException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"9999-12-31T23:59:59.999999Z", "+10000-01-01T00:00:00Z"})
    void whatADatabaseCannotHoldIsRefused(String text) {
        assertThat(OffsetDateTime.parse(text).toInstant()).isAfter(Instant.parse("9999-12-31T23:59:59.999Z"));
        assertThatThrownBy(() -> Timestamps.parse(text)).isInstanceOf(DateTimeParseException.class);
    }
}
