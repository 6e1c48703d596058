package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RelativeTimeTest {
    private static final Instant NOW = Instant.parse("2026-03-15T18:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "PT0.5S, now",
        "PT59S, 59s ago",
        "PT1M5S, 1m5s ago",
        "PT3M10S, 3m ago",
        "PT2H, 2h ago",
        "PT1H30M, 1h30m ago",
        "P2DT3H, 2d3h ago",
        "P40D, 40d ago",
        "-PT30S, in 30s",
        "-PT25H, in 1d1h"
    })
    void distancesAreSaidInTheUnitsThatMatter(Duration ago, String text) {
        assertThat(RelativeTime.of(NOW.minus(ago), NOW)).isEqualTo(text);
    }
}
