package io.taskexec.web.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.forecast.ForecastResource;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.web.chart.HeatMap;
import io.taskexec.web.frame.Html;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;

/** The starts of the next day, where they are too many, and what would spread them. */
@Singleton
final class ForecastPage implements Section {
    private static final Duration STEP = Duration.ofMinutes(30);
    private static final int COLUMNS = 48;
    private static final String ENDPOINTS = "15";

    private final ForecastResource forecasts;
    private final Trees trees;

    ForecastPage(ForecastResource forecasts, Trees trees) {
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
        return trees.of(() -> forecasts.get("24", visit.query("endpoint"), ENDPOINTS))
                .map(forecast -> Reply.page("forecast", "Forecast")
                        .with("forecast", forecast)
                        .with(
                                "map",
                                Html.raw(map(forecast).draw(visit.preferences().zone(), Html::escape))));
    }

    static HeatMap map(ObjectNode forecast) {
        var from = Instant.parse(forecast.path("from").asText());
        var rows = new ArrayList<HeatMap.Row>();
        forecast.at("/endpoints/items").forEach(endpoint -> {
            var counts = new double[COLUMNS];
            endpoint.path("minutes").forEach(minutes -> add(minutes, from, counts));
            rows.add(new HeatMap.Row(
                    endpoint.path("name").asText(),
                    Arrays.stream(counts).boxed().toList()));
        });
        return new HeatMap(from, STEP, COLUMNS, rows);
    }

    private static void add(JsonNode minutes, Instant from, double[] counts) {
        var first = Duration.between(from, Instant.parse(minutes.path("at").asText()))
                .toMinutes();
        var each = minutes.path("scheduled").asDouble()
                + minutes.path("delayed").asDouble()
                + minutes.path("historical").asDouble();
        for (var minute = 0; minute < minutes.path("count").asInt(); minute++) {
            var column = (int) ((first + minute) / STEP.toMinutes());
            if (column >= 0 && column < counts.length) {
                counts[column] += each;
            }
        }
    }
}
