package io.taskexec.web.page;

import io.quarkus.qute.RawString;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.PlainPage;
import io.taskexec.forecast.Forecast;
import io.taskexec.forecast.Forecast.Minutes;
import io.taskexec.forecast.Forecasts;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.web.chart.HeatMap;
import io.taskexec.web.frame.Display;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** The starts of the next day, where they are too many, and what would spread them. */
@Singleton
final class ForecastPage implements Section {
    private static final Duration STEP = Duration.ofMinutes(30);
    private static final int COLUMNS = 48;
    private static final int HOURS = 24;
    private static final int ENDPOINTS = 15;

    private final Forecasts forecasts;
    private final Trees trees;

    ForecastPage(Forecasts forecasts, Trees trees) {
        this.forecasts = forecasts;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(65, "/forecast", "Forecast", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/forecast", KeyScope.READ, this::show);
    }

    private Uni<Reply> show(Visit visit) {
        return forecasts
                .roughly(HOURS, visit.query("endpoint"), ENDPOINTS)
                .chain(rough -> trees.of(
                                () -> Uni.createFrom().item(rough.forecast().withoutMinutes()))
                        .map(forecast -> Reply.page("forecast", "Forecast")
                                .with("forecast", forecast)
                                .with("isEstimate", rough.isEstimate())
                                .with("isPart", !rough.forecast().more().isEmpty())
                                .with(
                                        "map",
                                        new RawString(map(rough.forecast())
                                                .draw(visit.preferences().zone(), PlainPage::escape)))));
    }

    static HeatMap map(Forecast forecast) {
        var rows = forecast.endpoints().items().stream()
                .map(endpoint -> new HeatMap.Row(endpoint.name(), counts(endpoint.minutes(), forecast.from())))
                .toList();
        return new HeatMap(forecast.from(), STEP, COLUMNS, rows, Display::number);
    }

    private static List<Double> counts(List<Minutes> minutes, Instant from) {
        var counts = new double[COLUMNS];
        for (var some : minutes) {
            var first = Duration.between(from, some.at()).toMinutes();
            for (var minute = first; minute < first + some.count(); minute++) {
                var column = (int) (minute / STEP.toMinutes());
                if (column >= 0 && column < counts.length) {
                    counts[column] += some.scheduled() + some.delayed() + some.historical();
                }
            }
        }
        return Arrays.stream(counts).boxed().toList();
    }
}
