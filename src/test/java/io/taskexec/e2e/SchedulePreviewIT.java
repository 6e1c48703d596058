package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code POST /schedules/preview}. */
// Nothing is delivered, so that a job stays as it was created.
@ServerTest(roles = "api")
class SchedulePreviewIT {
    private static final String PREVIEW = "/schedules/preview";

    @Inject
    private static Api api;

    private static JsonPath preview(String json) {
        var response = api.post(PREVIEW, json);
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        return response.jsonPath();
    }

    @Test
    void aCronExpressionIsShownInUtcAndLocalTimeWithFlagsAndInWords() {
        var shown = preview("""
                {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "from": "2026-03-28T00:00:00+01:00", "count": 3}
                """);

        assertThat(shown.getString("description")).isEqualTo("at 02:30 every day (Europe/Berlin)");
        assertThat(shown.getString("timezone_rules")).matches("20[0-9]{2}[a-z]");
        assertThat(shown.<Map<String, Object>>getList("items"))
                .containsExactly(
                        item("2026-03-28T01:30:00Z", "2026-03-28T02:30:00+01:00"),
                        item("2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00", "GAP"),
                        item("2026-03-30T00:30:00Z", "2026-03-30T02:30:00+02:00"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2026-03-29 | {'gap': 'SHIFT'}                     | 2026-03-29T01:00:00Z 2026-03-30T00:30:00Z",
                "2026-03-29 | {'gap': 'SKIP'}                      | 2026-03-30T00:30:00Z 2026-03-31T00:30:00Z",
                "2026-10-25 | {}                                   | 2026-10-25T00:30:00Z 2026-10-26T01:30:00Z",
                "2026-10-25 | {'overlap': 'SECOND'}                | 2026-10-25T01:30:00Z 2026-10-26T01:30:00Z",
                "2026-10-25 | {'gap': 'SKIP', 'overlap': 'BOTH'}   | 2026-10-25T00:30:00Z 2026-10-25T01:30:00Z"
            })
    void thePolicyForChangesOfTheClockCounts(String day, String dst, String expected) {
        var shown = preview("""
                {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "from": "%sT00:00:00Z", "count": 2, "dst": %s}
                """.formatted(day, dst.replace('\'', '"')));

        assertThat(shown.getList("items.utc")).isEqualTo(List.of(expected.split(" ")));
    }

    @Test
    void anIntervalStartsAtItsAnchor() {
        var shown = preview("""
                {"every": "PT90M", "timezone": "Asia/Kathmandu", "from": "2026-01-01T02:00:00Z",
                 "starts_at": "2026-01-01T00:00:00Z", "count": 2}
                """);

        assertThat(shown.getString("description")).isEqualTo("every 1 hour 30 minutes from 2026-01-01T00:00:00Z");
        assertThat(shown.<Map<String, Object>>getList("items"))
                .containsExactly(
                        item("2026-01-01T03:00:00Z", "2026-01-01T08:45:00+05:45"),
                        item("2026-01-01T04:30:00Z", "2026-01-01T10:15:00+05:45"));
    }

    @Test
    void theStartCountsAndTheEndDoesNot() {
        for (var schedule : List.of("\"every\": \"PT24H\"", "\"cron\": \"@daily\", \"timezone\": \"UTC\"")) {
            var shown = preview("""
                    {%s, "from": "2026-01-01T00:00:00Z", "starts_at": "2026-01-02T00:00:00Z",
                     "ends_at": "2026-01-04T00:00:00Z"}
                    """.formatted(schedule));

            assertThat(shown.getList("items.utc")).containsExactly("2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z");
            assertThat(shown.getList("items.local")).containsExactly("2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z");
        }
    }

    @Test
    void withoutMoreThereAreTenItemsFromNowOn() {
        var before = Instant.now();

        var shown = preview("{\"cron\": \"* * * * *\", \"timezone\": \"America/New_York\"}");

        assertThat(shown.<String>getList("items.utc"))
                .hasSize(10)
                .allSatisfy(at -> assertThat(Instant.parse(at)).isAfter(before))
                .isSorted();
    }

    @Test
    void anIntervalFirstFiresOneIntervalFromNowAsAJobDoes() {
        api.endpoint("hourly", URI.create("http://127.0.0.1:9/"), Map.of());

        var shown = preview("{\"every\": \"PT1H\"}");
        var job = api.create("/jobs", Map.of("endpoint", "hourly", "trigger", "INTERVAL", "every", "PT1H"));

        assertThat(Instant.parse(shown.getString("items[0].utc")))
                .isCloseTo(Instant.parse(job.getString("next_run_at")), within(20, ChronoUnit.SECONDS));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "INTERVAL | 'every': 'PT1H' | 2036-01-01T00:00:00.500900Z | 2036-01-01T00:00:00.500Z",
                "CRON | 'cron': '0 * * * *', 'timezone': 'UTC' | 2036-01-01T00:00:00.000500Z"
                        + " | 2036-01-01T01:00:00Z"
            })
    void aStartBetweenTwoMillisecondsIsThatOfTheJobToo(String trigger, String times, String start, String first) {
        var endpoint = "of-" + trigger.toLowerCase(Locale.ROOT);
        api.endpoint(endpoint, URI.create("http://127.0.0.1:9/"), Map.of());
        var schedule = "%s, 'starts_at': '%s'}".formatted(times, start).replace('\'', '"');

        var shown = preview("{" + schedule);
        var job = api.create(
                "/jobs", "{\"endpoint\": \"%s\", \"trigger\": \"%s\", ".formatted(endpoint, trigger) + schedule);

        assertThat(shown.getString("items[0].utc")).isEqualTo(first);
        assertThat(Instant.parse(job.getString("next_run_at"))).isEqualTo(first);
        assertThat(Instant.parse(job.getString("starts_at"))).isBeforeOrEqualTo(first);
    }

    @Test
    void aThousandItemsAreShown() {
        var shown = preview("{\"cron\": \"0 0 29 2 *\", \"timezone\": \"UTC\", \"count\": 1000}");

        assertThat(shown.getList("items")).hasSize(1000);
    }

    @Test
    void anEmptyListIsShownWhenTheEndComesFirst() {
        var shown = preview("""
                {"cron": "@yearly", "timezone": "UTC", "from": "2026-02-01T00:00:00Z", "ends_at": \
                "2026-03-01T00:00:00Z"}
                """);

        assertThat(shown.getList("items")).isEmpty();
    }

    /** What a job with {@code H} shows as its next tick is what its preview says. */
    @Test
    void aHashedExpressionIsShownAsTheJobHasIt() {
        api.endpoint("hashed", URI.create("http://127.0.0.1:9/"), Map.of());
        for (var i = 0; i < 5; i++) {
            var job = api.create(
                    "/jobs",
                    Map.of("endpoint", "hashed", "trigger", "CRON", "cron", "H H * * *", "timezone", "Asia/Tokyo"));
            var shown = preview("{\"cron\": \"H H * * *\", \"timezone\": \"Asia/Tokyo\", \"hash_key\": \"%s\"}"
                    .formatted(job.getString("job_id")));

            assertThat(OffsetDateTime.parse(shown.getString("items[0].local")))
                    .isEqualTo(OffsetDateTime.parse(job.getString("next_run_at")));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                                      | /cron",
                "{'cron': '@daily', 'every': 'PT1H', 'timezone': 'UTC'}  | /cron",
                "{'cron': '@daily'}                                      | /timezone",
                "{'cron': 5, 'timezone': 'UTC'}                          | /cron",
                "{'every': 'PT1H', 'count': 0}                           | /count",
                "{'every': 'PT1H', 'count': 1001}                        | /count",
                "{'every': 'PT1H', 'from': '2026-01-01'}                 | /from",
                "{'every': 'PT1H', 'dst': {}}                            | /dst",
                "{'every': 'PT1H', 'hash_key': 'job_zz'}                 | /hash_key",
                "{'cron': '@daily', 'timezone': 'UTC', 'hash_key': 'x'}  | /hash_key",
                "{'cron': '@daily', 'timezone': 'UTC', 'dst': 'SKIP'}    | /dst",
                "{'cron': '@daily', 'timezone': 'UTC', 'dst': {'gap': 'BOTH'}}    | /dst/gap",
                "{'cron': '@daily', 'timezone': 'UTC', 'dst': {'overlaps': 'X'}}  | /dst/overlaps",
                "{'every': 'PT1H', 'starts_at': '2026-01-02T00:00:00Z', 'ends_at': '2026-01-02T00:00:00Z'} | /ends_at",
                "{'every': 'PT1H', 'more': 1}                            | /more"
            })
    void aWrongFieldIsNamed(String body, String pointer) {
        var response = api.post(PREVIEW, body.replace('\'', '"'));

        assertThat(response.statusCode()).as(response.asString()).isEqualTo(400);
        assertThat(response.<List<String>>path("error.details.pointer")).contains(pointer);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'cron': '61 * * * *', 'timezone': 'UTC'}   | The minute '61' is not understood",
                "{'cron': '0 0 31 2 *', 'timezone': 'UTC'}   | never fires",
                "{'cron': '@daily', 'timezone': '+02:00'}    | There is no time zone '+02:00'",
                "{'every': 'PT1H', 'timezone': 'Nowhere'}    | There is no time zone 'Nowhere'",
                "{'every': '5m'}                             | not an ISO-8601 duration",
                "{'every': 'PT0.5S'}                         | shorter than a second"
            })
    void aScheduleThatCannotBeIsExplained(String body, String reason) {
        var response = api.post(PREVIEW, body.replace('\'', '"'));

        assertThat(response.statusCode()).as(response.asString()).isEqualTo(422);
        assertThat(response.<String>path("error.code")).isEqualTo("INVALID_CRON");
        assertThat(response.<String>path("error.message")).contains(reason);
    }

    @Test
    void aKeyThatMayOnlyReadMayAskAndNothingIsRecorded() {
        var key = api.create("/keys", "{\"name\": \"reader\", \"scopes\": [\"read\"]}")
                .getString("key");

        var response = new Api(api.port(), key).post(PREVIEW, "{\"every\": \"PT1H\"}");

        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        assertThat(api.read("/audit?kind=schedule").getList("items")).isEmpty();
    }

    private static Map<String, Object> item(String utc, String local, String... flags) {
        var item = new LinkedHashMap<String, Object>();
        item.put("utc", utc);
        item.put("local", local);
        item.put("flags", List.of(flags));
        return item;
    }
}
