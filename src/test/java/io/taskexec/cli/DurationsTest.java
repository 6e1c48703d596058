package io.taskexec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({"90s, PT90S", "1h30m, PT1H30M", "2d, P2D", "1d12h, P1DT12H", "PT15M, PT15M", "soon, soon", "'', ''"})
    void shortOnesBecomeWhatTheApiWants(String given, String iso) {
        assertThat(Durations.iso(given)).isEqualTo(iso);
    }

    @Test
    void aTimeMayBeSaidAsHowLongAgoItIs() {
        var now = Instant.parse("2026-03-15T18:00:00Z");

        assertThat(Durations.past("2h", now)).isEqualTo(Instant.parse("2026-03-15T16:00:00Z"));
        assertThat(Durations.past("2026-03-15T18:00:00+01:00", now)).isEqualTo(Instant.parse("2026-03-15T17:00:00Z"));
        assertThat(Durations.past("yesterday", now)).isNull();
    }
}
