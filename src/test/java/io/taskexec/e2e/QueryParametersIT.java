package io.taskexec.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A query parameter that a route does not have is refused, on every route. */
@ServerTest(roles = "api")
class QueryParametersIT {
    @Inject
    private static Api api;

    private static final String NO_ID = "00000000000000000000000000000000";

    static Stream<String> routes() {
        return ApiDocument.read().operations().keySet().stream();
    }

    private static Response send(String route, String query) {
        var parts = route.split(" ", 2);
        var path = parts[1].replace("/jobs/{id}", "/jobs/job_" + NO_ID)
                .replace("/executions/{id}", "/executions/exec_" + NO_ID)
                .replace("/approvals/{id}", "/approvals/exec_" + NO_ID)
                .replace("/operations/{id}", "/operations/op_" + NO_ID)
                .replace("{id}", "key_1")
                .replace("{name}", "a")
                .replace("{key}", "a")
                .replace("{token}", "a");
        return api.request().body("{}").request(parts[0], path + "?" + query);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void aParameterThatARouteDoesNotHaveIsRefusedByName(String route) {
        var answer = send(route, "xyzzyx=1");

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(400);
        assertThat(answer.<String>path("error.code")).isEqualTo("INVALID_REQUEST");
        assertThat(answer.<String>path("error.message")).startsWith("'xyzzyx' is not a parameter of " + route);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void everyParameterOfTheDocumentIsKnown(String route) {
        var parameters =
                requireNonNull(ApiDocument.read().operations().get(route)).path("parameters");
        StreamSupport.stream(parameters.spliterator(), false)
                .filter(parameter -> parameter.path("in").asText().equals("query"))
                .map(parameter -> parameter.path("name").asText())
                .filter(name -> !route.equals("GET /events"))
                .forEach(name -> assertThat(send(route, name + "=1").asString()).doesNotContain("is not a parameter"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            /jobs?statuss=FAILED       | 'statuss' is not a parameter of GET /jobs; did you mean 'status'?
            /jobs?STATUS=FAILED        | 'STATUS' is not a parameter of GET /jobs; did you mean 'status'?
            /executions?errortype=X    | 'errortype' is not a parameter of GET /executions; did you mean 'error_type'?
            /jobs/{id}/ticks?form=now  | 'form' is not a parameter of GET /jobs/{id}/ticks; did you mean 'from'?
            /configs?page=2            | 'page' is not a parameter of GET /configs, which takes 'cursor' and 'limit'.
            /configs/a?limit=2         | 'limit' is not a parameter of GET /configs/{name}, which takes none.
            /configs?limit=1&limit=2   | 'limit' must be given once.
            /jobs?status=              | 'status' must be given with a value.
            """)
    void theAnswerSaysWhatIsMeant(String path, String message) {
        var answer = api.get(path.replace("{id}", "job_" + NO_ID));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.<String>path("error.message")).isEqualTo(message);
    }

    @Test
    void aParameterThatMayBeRepeatedMayBe() {
        var answer = api.get("/events?type=nothing&type=more");

        assertThat(answer.<String>path("error.message")).startsWith("'type' must be");
    }

    @Test
    void aHeadIsRefusedLikeItsGet() {
        assertThat(api.request().head("/jobs?statuss=FAILED").statusCode()).isEqualTo(400);
        assertThat(api.request().head("/jobs?status=RETIRED").statusCode()).isEqualTo(200);
    }

    @Test
    void whoHasNoKeyIsToldNothingOfParameters() {
        assertThat(api.bare().get("/jobs?statuss=FAILED").statusCode()).isEqualTo(401);
    }

    @Test
    void aQueryWithoutParametersIsNone() throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            for (var query : List.of("?", "?&", "?limit=7&")) {
                var request = HttpRequest.newBuilder(api.uri("/configs" + query))
                        .header("Authorization", "Bearer " + api.key())
                        .build();
                assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
                        .as(query)
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void aRequestThatIsRefusedChangesNothing() {
        for (var query : List.of("dryrun=1", "force=true")) {
            var body = Map.of("name", query.replaceAll("[^a-z]", "").toLowerCase(Locale.ROOT), "values", Map.of());
            assertThat(api.post("/configs?" + query, body).statusCode()).isEqualTo(400);
        }
        assertThat(api.read("/configs").getList("items")).isEmpty();
    }
}
