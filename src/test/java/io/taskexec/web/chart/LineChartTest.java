package io.taskexec.web.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.web.chart.LineChart.Series;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineChartTest {
    private static final Instant AT = Instant.parse("2026-11-23T10:00:00Z");
    private static final List<Instant> TIMES =
            List.of(AT, AT.plusSeconds(60), AT.plusSeconds(120), AT.plusSeconds(180));

    @Test
    void aGapInTheValuesIsAGapInTheLine() {
        var line = new Series("waiting", "a", Arrays.asList(0.0, null, 10.0, 5.0));

        var svg = new LineChart("Depth", TIMES, List.of(line), value -> "%.0f".formatted(value)).draw(ZoneOffset.UTC);

        assertThat(svg)
                .contains("d=\"M0.0 100.0M240.0 8.0L360.0 54.0\"")
                .contains("aria-label=\"Depth; waiting 5\"", ">10:00<", ">10:03<", ">10<");
    }

    @Test
    void aChartWithoutValuesIsAnEmptyOne() {
        var svg = new LineChart("Depth", List.of(), List.of(new Series("waiting", "a", List.of())), String::valueOf)
                .draw(ZoneOffset.UTC);

        assertThat(svg).contains("Depth; waiting unknown").doesNotContain("<path");
    }

    @Test
    void theTopIsARoundNumber() {
        assertThat(LineChart.niceTop(0)).isEqualTo(1);
        assertThat(LineChart.niceTop(7)).isEqualTo(10);
        assertThat(LineChart.niceTop(101)).isEqualTo(200);
        assertThat(LineChart.niceTop(0.3)).isEqualTo(0.5);
    }
}
