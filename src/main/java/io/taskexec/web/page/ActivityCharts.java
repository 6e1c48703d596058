package io.taskexec.web.page;

import io.quarkus.qute.RawString;
import io.taskexec.model.activity.ActivityMinute;
import io.taskexec.web.chart.LineChart;
import io.taskexec.web.chart.LineChart.Series;
import io.taskexec.web.frame.Display;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The charts of what was done.
 *
 * @param points oldest first, each of as many minutes as the span says
 */
record ActivityCharts(Span span, List<ActivityMinute> points) {
    static final Span HOUR = new Span(Duration.ofHours(1), ActivityMinute.LENGTH);
    static final Span DAY = new Span(Duration.ofDays(1), Duration.ofMinutes(10));

    /**
     * A time that charts show.
     *
     * @param step the time that one point of a line stands for
     */
    record Span(Duration length, Duration step) {
        /** The beginning, when it ends now. */
        Instant from(Instant now) {
            return end(now).minus(length);
        }

        /** The minute that is not over is left out, and so is a step. */
        private Instant end(Instant now) {
            return Instant.ofEpochSecond(now.getEpochSecond() / step.toSeconds() * step.toSeconds());
        }
    }

    /** The charts of a time, of which minutes in which nothing was done are missing. */
    static ActivityCharts of(Collection<ActivityMinute> minutes, Span span, Instant now) {
        var from = span.from(now);
        var count = (int) span.length().dividedBy(span.step());
        var points = new ArrayList<ActivityMinute>(count);
        for (var i = 0; i < count; i++) {
            points.add(ActivityMinute.empty(from.plus(span.step().multipliedBy(i))));
        }
        for (var minute : minutes) {
            var place = (int) Duration.between(from, minute.at()).dividedBy(span.step());
            if (place < count) {
                points.set(place, points.get(place).plus(minute));
            }
        }
        return new ActivityCharts(span, points);
    }

    /** The charts with their legends. */
    List<Map<String, Object>> draw(ZoneId zone) {
        var seconds = (double) span.step().toSeconds();
        return List.of(
                chart(
                        "Depth",
                        List.of(
                                line("waiting", "a", point ->
                                        (double) point.depth().waiting()),
                                line("running", "b", point ->
                                        (double) point.depth().running())),
                        Display::number,
                        zone),
                chart(
                        "Throughput /s",
                        List.of(
                                line("created", "a", point -> point.created() / seconds),
                                line("ended", "b", point -> point.ended() / seconds)),
                        Display::number,
                        zone),
                chart(
                        "Latency",
                        List.of(
                                line("p95", "a", point -> point.latencies().percentileMs(0.95)),
                                line("p50", "b", point -> point.latencies().percentileMs(0.5))),
                        Display::millis,
                        zone),
                chart(
                        "Attempts /min",
                        List.of(
                                line("failed", "bad", point -> 60 * point.failures() / seconds),
                                line("all", "b", point -> 60 * point.attempts() / seconds)),
                        Display::number,
                        zone));
    }

    private Series line(String name, String style, Function<ActivityMinute, @Nullable Double> value) {
        var values = new ArrayList<@Nullable Double>();
        points.forEach(point -> values.add(value.apply(point)));
        return new Series(name, style, values);
    }

    private Map<String, Object> chart(String title, List<Series> lines, DoubleFunction<String> format, ZoneId zone) {
        var times = points.stream().map(ActivityMinute::at).toList();
        return Map.of(
                "title",
                title,
                "svg",
                new RawString(new LineChart(title, times, lines, format).draw(zone)),
                "legend",
                lines.stream()
                        .map(line -> Map.of("name", line.name(), "style", line.style()))
                        .toList());
    }
}
