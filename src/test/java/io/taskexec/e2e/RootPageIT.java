package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests the root page, in a browser and for clients without a key. */
@ServerTest
class RootPageIT {
    private static final String BROWSER =
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
    private static final Pattern LINK = Pattern.compile("href=\"([^\"]+)\"");

    @Inject
    private static Program program;

    private static Response get(String path, String accept) {
        return program.api().bare().header("Accept", accept).get(path);
    }

    @Test
    void aBrowserGetsAPageWhoseLinksLeadSomewhere() {
        var page = get("/", BROWSER);

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.contentType()).isEqualTo("text/html;charset=UTF-8");
        assertThat(page.asString())
                .containsPattern("Version \\d+\\.\\d+\\.\\d+")
                .doesNotContain("swagger-ui", "<script", "style=")
                .doesNotContainPattern(" on\\w+=");
        assertThat(LINK.matcher(page.asString()).results().map(link -> link.group(1)))
                .contains("/docs/README.md", "/q/openapi?format=json")
                .allSatisfy(link ->
                        assertThat(get(link, BROWSER).statusCode()).as(link).isEqualTo(200));
    }

    @Test
    void theBrowserIsToldToRunNothingAndToShowThePageInNoOther() {
        var page = get("/", BROWSER);

        assertThat(page.header("Content-Security-Policy"))
                .contains("default-src 'none'", "style-src 'sha256-", "frame-ancestors 'none'")
                .doesNotContain("unsafe", "script-src");
        assertThat(page.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(page.header("X-Request-Id")).startsWith("req_");
        assertThat(page.header("Vary")).isEqualTo("Accept");
    }

    @Test
    void othersGetTheSameAsJson() {
        for (var accept : new String[] {"*/*", "application/json", "application/json, text/html;q=0.5"}) {
            var answer = get("/", accept);

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.contentType()).isEqualTo("application/json;charset=UTF-8");
            assertThat(answer.jsonPath().getMap(""))
                    .containsEntry("name", "taskexec")
                    .containsEntry("openapi", "/q/openapi?format=json")
                    .containsEntry("documentation", "/docs/README.md")
                    .containsKey("version")
                    .doesNotContainKey("swagger_ui");
        }
    }

    @Test
    void headHasTheHeadersOfTheSamePage() {
        var head = program.api().bare().header("Accept", BROWSER).head("/");

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.contentType()).isEqualTo("text/html;charset=UTF-8");
        assertThat(Integer.parseInt(head.header("Content-Length")))
                .isEqualTo(get("/", BROWSER).asByteArray().length);
        assertThat(head.asByteArray()).isEmpty();
    }

    @Test
    void thereIsNothingToWriteTo() {
        for (var path : List.of("/", "/docs/quickstart.md", "/q/openapi", "/q/openapi?format=json")) {
            for (var method : List.of("POST", "PUT", "PATCH", "DELETE")) {
                var refused = program.api().bare().body("{}").request(method, path);

                assertThat(refused.statusCode()).as(method + path).isEqualTo(405);
                assertThat(refused.header("Allow")).isEqualTo("GET, HEAD, OPTIONS");
                assertThat(refused.jsonPath().getString("error.code")).isEqualTo("METHOD_NOT_ALLOWED");
                assertThat(refused.jsonPath().getString("error.request_id")).isEqualTo(refused.header("X-Request-Id"));
            }
            var options = program.api().bare().options(path);
            assertThat(options.statusCode()).isEqualTo(204);
            assertThat(options.header("Allow")).isEqualTo("GET, HEAD, OPTIONS");
            assertThat(options.header("X-Request-Id")).startsWith("req_");
            var head = program.api().bare().header("X-Request-Id", "head-1").head(path);
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.header("X-Request-Id")).isEqualTo("head-1");
        }
    }

    @Test
    void theDocumentOfTheApiIsOneRequestAsAllOthers() {
        for (var path : List.of("/q/openapi", "/q/openapi?format=json", "/q/openapi.json")) {
            var document =
                    program.api().bare().header("X-Request-Id", "document-1").get(path);

            assertThat(document.statusCode()).as(path).isEqualTo(200);
            assertThat(document.headers().getValues("X-Request-Id")).containsExactly("document-1");
            assertThat(document.asString()).contains("openapi", "/jobs");
        }
    }

    @Test
    void aDocumentIsPlainTextAndNothingButDocumentsIsRead() {
        var page = get("/docs/quickstart.md", BROWSER);

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.contentType()).isEqualTo("text/plain;charset=UTF-8");
        assertThat(page.asString()).startsWith("# Quickstart");
        for (var path : new String[] {
            "/docs/none.md",
            "/docs/",
            "/docs/..%2Fapplication.properties",
            "/docs/../application.properties",
            "/docs/adr/README.md"
        }) {
            assertThat(get(path, BROWSER).statusCode()).as(path).isIn(400, 401, 404);
        }
        assertThat(get("/docs/none.md", BROWSER).jsonPath().getString("error.code"))
                .isEqualTo("NOT_FOUND");
    }
}
