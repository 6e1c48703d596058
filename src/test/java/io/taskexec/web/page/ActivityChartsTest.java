package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.activity.ActivityMinute;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActivityChartsTest {
    private static final Instant NOW = Instant.parse("2026-05-01T12:34:56Z");

    private static ActivityMinute created(String at, int count) {
        var minute = ActivityMinute.empty(Instant.parse(at));
        return new ActivityMinute(minute.at(), count, 0, 0, 0, minute.latencies(), minute.depth());
    }

    @Test
    void anHourHasAPointForEachMinuteThatIsOver() {
        var charts = ActivityCharts.of(
                List.of(
                        created("2026-05-01T11:34:00Z", 1),
                        created("2026-05-01T12:33:00Z", 2),
                        created("2026-05-01T12:34:00Z", 4)),
                ActivityCharts.HOUR,
                NOW);

        assertThat(charts.points()).hasSize(60);
        assertThat(charts.points().getFirst().created()).isEqualTo(1);
        assertThat(charts.points().getLast().created()).isEqualTo(2);
        assertThat(charts.points())
                .extracting(ActivityMinute::created)
                .filteredOn(n -> n == 0)
                .hasSize(58);
    }

    @Test
    void aDayHasAPointForTenMinutes() {
        var charts = ActivityCharts.of(
                List.of(created("2026-04-30T12:30:00Z", 1), created("2026-04-30T12:39:00Z", 2)),
                ActivityCharts.DAY,
                NOW);

        assertThat(charts.points()).hasSize(144);
        assertThat(charts.points().getFirst().created()).isEqualTo(3);
    }
}
