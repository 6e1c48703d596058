package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Api;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forecasts of a server, and schedules that are spread. */
@ServerTest(env = CliBed.EVENTS)
class ForecastIT {
    private static final int TOGETHER = 12;

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    private static CliBed cli;

    @BeforeAll
    static void setUp(@TempDir Path folder) throws IOException {
        cli = CliBed.in(folder, api);
    }

    private static void endpoint(String name, Map<String, ?> more) {
        var endpoint = new HashMap<>(Api.posting(name, receiver.uri("/" + name), Map.of("max_attempts", 1)));
        endpoint.putAll(more);
        var _ = api.create("/endpoints", endpoint);
    }

    private static String schedule(String endpoint, String cron) {
        return api.create("/jobs", Map.of("endpoint", endpoint, "trigger", "CRON", "cron", cron, "timezone", "UTC"))
                .getString("job_id");
    }

    /** An expression that fires once in 24 hours, and not in the next hour. */
    private static String inAFewHours() {
        return "7 "
                + Instant.now().plus(3, ChronoUnit.HOURS).atZone(ZoneOffset.UTC).getHour() + " * * *";
    }

    private static JsonPath forecast(String query) {
        return api.read("/forecast?" + query);
    }

    @Test
    void aForecastHasTheStartsOfSchedulesAndDelayedJobsAgainstTheLimits() {
        endpoint("forecast-mail", Map.of("flow", Map.of("rate", Map.of("limit", 1, "per", "PT1M", "burst", 1))));
        var cron = inAFewHours();
        for (var i = 0; i < 3; i++) {
            schedule("forecast-mail", cron);
        }
        var paused = schedule("forecast-mail", "* * * * *");
        assertThat(api.post("/jobs/" + paused + "/pause", Map.of()).statusCode())
                .isEqualTo(200);
        var runAt = Instant.now().plus(5, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS);
        var delayed = new HashMap<>(Api.immediateJob("forecast-mail", "later"));
        delayed.putAll(Map.of("trigger", "DELAYED", "run_at", runAt.toString()));
        var _ = api.create("/jobs", delayed);

        var mail = forecast("endpoint=forecast-mail");

        assertThat(mail.getInt("endpoints.total")).isEqualTo(1);
        assertThat(mail.getDouble("endpoints.items[0].scheduled")).isEqualTo(3);
        assertThat(mail.getDouble("endpoints.items[0].delayed")).isEqualTo(1);
        assertThat(mail.getDouble("endpoints.items[0].peak.expected")).isEqualTo(3);
        assertThat(mail.getString("endpoints.items[0].limits[0].kind")).isEqualTo("RATE");
        assertThat(mail.<Map<String, Object>>getList("endpoints.items[0].minutes"))
                .hasSize(2)
                .last()
                .satisfies(minute -> assertThat(minute)
                        .containsEntry(
                                "at", runAt.truncatedTo(ChronoUnit.MINUTES).toString())
                        .containsEntry("count", 1));
        assertThat(mail.getInt("over_capacity.total")).isEqualTo(1);
        assertThat(mail.getMap("over_capacity.items[0]"))
                .containsEntry("endpoint", "forecast-mail")
                .containsEntry("expected", 3f)
                .containsEntry("capacity", 2f)
                .containsEntry("limit", "RATE");
        assertThat(mail.getList("proposals.items")).hasSize(3);
        assertThat(forecast("hours=1&endpoint=forecast-mail").getInt("endpoints.total"))
                .isZero();
        assertThat(cli.done("forecast", "--endpoint", "forecast-mail", "--hours", "24"))
                .contains("Minutes over capacity: 1.", "Schedules that could be spread: 3;")
                .containsPattern("(?m)^forecast-mail +3.0 +\\S+Z +3.0 +1.0 +0.0 +0.0$")
                .containsPattern("(?m)^\\S+Z +forecast-mail +3.0 +2.0 +RATE$");
    }

    @Test
    void schedulesAreSpreadOnlyWhenThatIsAsked() throws IOException {
        endpoint("forecast-together", Map.of());
        var jobs = new ArrayList<String>();
        var cron = inAFewHours();
        for (var i = 0; i < TOGETHER; i++) {
            jobs.add(schedule("forecast-together", cron));
        }
        var shown = cli.json("schedules", "spread", "--endpoint", "forecast-together");
        assertThat(shown).hasSize(TOGETHER);
        assertThat(cli.done("schedules", "spread", "--endpoint", "forecast-together"))
                .contains(jobs.getFirst(), "Nothing is changed; --apply changes these schedules.");
        assertThat(api.read("/jobs/" + jobs.getFirst()).getInt("version")).isEqualTo(1);

        assertThat(cli.done("schedules", "spread", "--endpoint", "forecast-together", "--apply"))
                .contains("Changed: 12, not changed: 0.", " is version 2 with 'H ");

        var old = api.read("/jobs/" + jobs.getFirst());
        assertThat(old.getString("status")).isEqualTo("RETIRED");
        var next = api.read("/jobs/" + old.getString("replaced_by_id"));
        assertThat(next.getString("cron")).isEqualTo("H" + cron.substring(1));
        var after = forecast("endpoint=forecast-together");
        assertThat(after.getDouble("endpoints.items[0].peak.expected"))
                .isEqualTo(shown.get(0).path("peak_after").asDouble());
        assertThat(after.getDouble("endpoints.items[0].scheduled")).isEqualTo(TOGETHER);
        assertThat(cli.done("schedules", "spread", "--endpoint", "forecast-together"))
                .isEqualTo("No schedules need to be spread.\n");
    }

    @Test
    void whoMayReadMayForecastAndParametersHaveBounds() {
        var key = api.create("/keys", Map.of("name", "forecaster", "scopes", List.of("read")))
                .getString("key");

        assertThat(new Api(api.port(), key).get("/forecast?hours=168&limit=100").statusCode())
                .isEqualTo(200);
        for (var query : new String[] {"hours=0", "hours=169", "hours=x", "limit=0", "limit=101", "cursor=x"}) {
            assertThat(api.get("/forecast?" + query).statusCode()).as(query).isEqualTo(400);
        }
        assertThat(cli.run("schedules").code()).isEqualTo(2);
    }
}
