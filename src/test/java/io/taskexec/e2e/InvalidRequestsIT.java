package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A request that is invalid is answered with all that is wrong with it. */
@ServerTest
class InvalidRequestsIT {
    @Inject
    private static Api api;

    @Test
    void anUnknownFieldIsNamedByItsPointer() {
        var response = expectError(400, "INVALID_REQUEST", api.post("/endpoints", """
                {"name": "odd", "type": "HTTP", "colour": "red",
                 "spec": {"url": "http://a/", "method": "GET", "timeout": 5, "a/b~c": 1},
                 "retry_policy": {"max_atempts": 3}}"""));

        assertThat(response.<List<String>>path("error.details.pointer"))
                .containsExactlyInAnyOrder("/colour", "/spec/timeout", "/spec/a~1b~0c", "/retry_policy/max_atempts");
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnce() {
        var response = expectError(400, "INVALID_REQUEST", api.post("/jobs", """
                {"endpoint": "No Name", "trigger": "DELAYED", "run_at": "tomorrow", "delay": "soon",
                 "priority": 8}"""));

        assertThat(response.<List<String>>path("error.details.pointer"))
                .contains("/endpoint", "/idempotency_key", "/run_at", "/delay", "/priority");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "\"text\"",
                "{",
                "{\"name\":\"x\"",
                "{\"name\":\"x\",}",
                "{\"name\":\"x\"} {}",
                "{\"name\":\"x\",\"name\":\"y\",\"values\":{}}",
                "{'name':'x','values':{}}",
                "{\"name\":\"x\",\"values\":NaN}",
                "{\"name\":\"x\",\"values\":{\"a\":1e99999999999}}",
                "{\"name\":\"x\",\"values\":{\"a\":1e-2147483648}}",
                "{\"name\":\"x\",\"values\":{\"a\":\"\\u0000\"}}",
                "{\"name\":\"x\",\"values\":{\"\\u0000\":1}}",
                "{\"name\":\"x\",\"values\":{\"a\":\"\\ud800\"}}",
                "{\"name\":\"\",\"values\":{}}",
                "{\"name\":\"Upper\",\"values\":{}}",
                "{\"name\":\"a/b\",\"values\":{}}",
                "{\"name\":\"-a\",\"values\":{}}",
                "{\"name\":null,\"values\":{}}",
                "{\"name\":1,\"values\":{}}",
                "{\"name\":\"x\",\"values\":[]}"
            })
    void aBodyThatIsNoConfigIsRefused(String body) {
        expectError(400, "INVALID_REQUEST", api.post("/configs", body));
    }

    @Test
    void aBodyThatIsNestedTooDeeplyIsRefused() {
        var deep = "{\"name\":\"deep\",\"values\":" + "{\"a\":".repeat(5000) + "1" + "}".repeat(5001);

        expectError(400, "INVALID_REQUEST", api.post("/configs", deep));
    }

    @Test
    void whatIsBeyondALimitIsSaidWithItsPlaceInPlainWords() {
        var number = api.post("/configs", "{\"name\":\"x\",\n \"values\":{\"a\":1e99999999999}}");
        var deep = api.post("/configs", "[".repeat(65));

        assertThat(number.<String>path("error.message"))
                .startsWith(
                        "The body is not valid JSON: A number has an exponent of more than 9 digits (line 2, column");
        assertThat(deep.<String>path("error.message"))
                .startsWith("The body is not valid JSON: Document nesting depth (65) exceeds the maximum allowed (64)")
                .doesNotContain("`");
    }

    @Test
    void aCompressedBodyIsRefusedForItsEncoding() {
        for (var encoding : List.of("gzip", "br", "identity, deflate")) {
            var refused = expectError(
                    400,
                    "INVALID_REQUEST",
                    api.request()
                            .contentType("application/json")
                            .header("Content-Encoding", encoding)
                            .body(new byte[] {0x1f, (byte) 0x8b, 8, 0})
                            .post("/configs"));

            assertThat(refused.<String>path("error.message")).contains("Content-Encoding '" + encoding + "'");
        }
        assertThat(api.request()
                        .header("Content-Encoding", "identity")
                        .body("{\"name\":\"as-it-is\",\"values\":{}}")
                        .post("/configs")
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void aWholeNumberMayHaveAPointOrAnExponent() {
        api.create("/queues", "{\"name\":\"whole\",\"weight\":1e1,\"max_concurrency\":40e-1}");

        assertThat(api.read("/queues/whole").getInt("weight")).isEqualTo(10);
        for (var weight : List.of("1.5", "1e999999999", "1e-999999999", "1e3")) {
            expectError(
                    400, "INVALID_REQUEST", api.post("/queues", "{\"name\":\"not\",\"weight\":%s}".formatted(weight)));
        }
    }

    @Test
    void aBodyThatIsNotUtf8IsRefused() {
        var bytes = "{\"name\":\"latin\",\"values\":{\"a\":\"?\"}}".getBytes(UTF_8);
        bytes[indexOf(bytes, '?')] = (byte) 0xe4;

        expectError(
                400,
                "INVALID_REQUEST",
                api.request().contentType("application/json").body(bytes).post("/configs"));
    }

    private static int indexOf(byte[] bytes, char wanted) {
        return IntStream.range(0, bytes.length)
                .filter(i -> bytes[i] == wanted)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aBodyOfMoreThanAMebibyteIsRefused() {
        var values = "{\"name\":\"big\",\"values\":{\"a\":\"%s\"}}";
        var room = 1024 * 1024 - values.length() + 2;

        expectError(413, "PAYLOAD_TOO_LARGE", api.post("/configs", values.formatted("x".repeat(room + 1))));
        assertThat(api.post("/configs", values.formatted("x".repeat(room))).statusCode())
                .as("exactly one mebibyte")
                .isEqualTo(201);
    }

    @Test
    void aBodyThatDoesNotAnnounceItsLengthIsRefusedToo() throws Exception {
        var chunk = "x".repeat(64 * 1024);
        var answer = RawHttp.postChunked(api, "/configs", "{\"name\":\"chunks\",\"values\":{\"a\":\"", chunk, 20);

        assertThat(answer).startsWith("HTTP/1.1 413").contains("PAYLOAD_TOO_LARGE");
    }

    @Test
    void everyAnswerCarriesARequestId() {
        assertThat(api.get("/configs").header("X-Request-Id")).matches("req_[0-9a-f]{32}");
        assertThat(api.request()
                        .header("X-Request-Id", "mine-1")
                        .get("/configs")
                        .header("X-Request-Id"))
                .isEqualTo("mine-1");
        var refused = api.request().header("X-Request-Id", "mine-2").get("/configs/nobody");
        assertThat(refused.<String>path("error.request_id")).isEqualTo("mine-2");
        assertThat(api.request()
                        .header("X-Request-Id", "<script>")
                        .get("/configs")
                        .header("X-Request-Id"))
                .matches("req_[0-9a-f]{32}");
    }

    @Test
    void aRequestWithoutTheKeyIsUnauthorized() {
        var attempts = List.<Supplier<Response>>of(
                () -> api.bare().get("/configs"),
                () -> new Api(api.port(), "wrong").get("/configs"),
                () -> new Api(api.port(), "").get("/configs"),
                () -> api.bare().header("Authorization", api.key()).get("/configs"),
                () -> api.bare().header("Authorization", "Basic " + api.key()).get("/configs"),
                () -> new Api(api.port(), "wrong").post("/configs", Map.of("name", "x", "values", Map.of())),
                () -> new Api(api.port(), "wrong").delete("/configs/x"));

        for (var attempt : attempts) {
            expectError(401, "UNAUTHORIZED", attempt.get());
        }
        assertThat(api.bare()
                        .header("Authorization", "bearer " + api.key())
                        .get("/configs")
                        .statusCode())
                .as("the scheme in lower case")
                .isEqualTo(200);
    }

    @Test
    void aPathDoesNotTakeEveryMethod() {
        expectError(405, "METHOD_NOT_ALLOWED", api.request().patch("/configs"));
        expectError(405, "METHOD_NOT_ALLOWED", api.delete("/jobs"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"type": "FTP"}                                              | /type
            {"type": "KAFKA"}                                            | /spec
            {"type": "HTTP", "spec": {"url": "http://a/", "method": "FETCH"}} | /spec/method
            {"type": "HTTP", "spec": {"url": "http://a/"}}               | /spec/method
            {"type": "HTTP", "spec": {"method": "GET"}}                  | /spec/url
            {"type": "HTTP", "spec": {"url": "http://a/", "method": "GET", "timeout_ms": 0}} | /spec/timeout_ms
            {"type": "HTTP", "spec": {"url": "http://a/", "method": "GET", "headers": {"A": 1}}} | /spec/headers/A
            {"type": "HTTP", "spec": {"url": "http://a/", "method": "GET", "headers": {"Host": "b"}}} \
                | /spec/headers/Host
            {"type": "HTTP", "spec": {"url": "http://a/", "method": "GET", "expected_status_codes": [99]}} \
                | /spec/expected_status_codes
            {"type": "HTTP", "spec": {"url": "http://a/", "method": "GET"}, "retry_policy": {"max_attempts": 0}} \
                | /retry_policy/max_attempts
            {"type": "HTTP", "spec": {"url": "http://a/", "method": "GET"}, "retry_policy": {"backoff": "random"}} \
                | /retry_policy/backoff
            """)
    void whatIsWrongWithAnEndpointIsNamed(String body, String pointer) {
        var named = body.replaceFirst("\\{", "{\"name\":\"wrong\",");

        var response = expectError(400, "INVALID_REQUEST", api.post("/endpoints", named));

        assertThat(response.<List<String>>path("error.details.pointer")).contains(pointer);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "trigger": "IMMEDIATE", "run_at": "2030-01-01T00:00:00Z"                             | /run_at
            "trigger": "IMMEDIATE", "delay": "PT1S"                                              | /delay
            "trigger": "DELAYED"                                                                 | /run_at
            "trigger": "DELAYED", "delay": "PT1S", "run_at": "2030-01-01T00:00:00Z"              | /run_at
            "trigger": "DELAYED", "delay": "-PT1S"                                               | /delay
            "trigger": "DELAYED", "delay": "P40000D"                                             | /delay
            "trigger": "DELAYED", "run_at": "2030-01-01T00:00:00"                                | /run_at
            "trigger": "DELAYED", "run_at": "9999-01-01T00:00:00Z"                               | /run_at
            "trigger": "CRON", "timezone": "UTC"                                                 | /cron
            "trigger": "NEVER"                                                                   | /trigger
            """)
    void whatIsWrongWithAJobIsNamed(String fields, String pointer) {
        var body = "{\"endpoint\":\"e\",\"idempotency_key\":\"k\"," + fields + "}";

        var response = expectError(400, "INVALID_REQUEST", api.post("/jobs", body));

        assertThat(response.<List<String>>path("error.details.pointer")).containsExactly(pointer);
    }
}
