package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.forecast.Forecast;
import io.taskexec.forecast.Forecast.Minutes;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForecastPageTest {
    @Test
    void minutesAreSummedUpByHalfHours() {
        var from = Instant.parse("2026-11-23T10:00:00Z");
        var minutes = List.of(
                new Minutes(from.plusSeconds(28 * 60), 4, 1, 0.5, 0),
                new Minutes(from.plus(Duration.ofDays(1)), 9, 1, 0, 0));
        var endpoint = new Forecast.Endpoint("a<b", 13, 2, 0, 0, null, null, List.of(), minutes, null);
        var forecast = new Forecast(
                from,
                from.plus(Duration.ofDays(1)),
                1,
                1,
                List.of(),
                new Forecast.Endpoints(1, List.of(endpoint)),
                new Forecast.OverCapacity(0, List.of()),
                new Forecast.Proposals(false, List.of()));

        var map = ForecastPage.map(forecast);

        assertThat(map.rows().getFirst().counts()).startsWith(3.0, 3.0, 0.0).hasSize(48);
        assertThat(map.draw(ZoneOffset.UTC, text -> text.replace("<", "&lt;")))
                .contains("a&lt;b", ">10:00<", "class=\"h5\" x=\"150\"", "x=\"164\"")
                .contains("<title>10:30 3</title>", "aria-label=\"a&lt;b: 10:00 3, 10:30 3\"")
                .doesNotContain("x=\"178\" y=\"16\"");
    }
}
