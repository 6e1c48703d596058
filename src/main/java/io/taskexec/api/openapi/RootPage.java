package io.taskexec.api.openapi;

import static io.taskexec.api.web.PlainPage.escape;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.api.filter.ReadOnlyPath;
import io.taskexec.api.web.MediaRange;
import io.taskexec.api.web.PlainPage;
import io.taskexec.model.Json;
import io.taskexec.request.RequestId;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * {@code GET /}, without a key: says what listens here and where to read on, to people in HTML and to programs in JSON.
 */
@Singleton
final class RootPage {
    static final String OPENAPI = "/q/openapi?format=json";
    static final String SWAGGER_UI = "/q/swagger-ui";

    private static final String STYLE = """
            body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 \
            1rem;color:#1c1e21;background:#fff}
            h1{margin-bottom:0}p{margin-top:.25rem;color:#5a6069}li{margin:.35rem 0}a{color:#0b57d0}
            @media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181c}p{color:#a0a6ad}a{color:#8ab4f8}}
            """;

    private final ReadOnlyPath readOnly;
    private final String version;
    private final boolean hasSwaggerUi;
    private final String policy = PlainPage.policy(STYLE, "'none'");

    RootPage(
            ReadOnlyPath readOnly,
            @ConfigProperty(name = "quarkus.application.version", defaultValue = "dev") String version,
            @ConfigProperty(name = "quarkus.swagger-ui.enabled", defaultValue = "false") boolean hasSwaggerUi) {
        this.readOnly = readOnly;
        this.version = version;
        this.hasSwaggerUi = hasSwaggerUi;
    }

    void open(@Observes Router router) {
        router.route("/").handler(this::answer);
    }

    private void answer(RoutingContext request) {
        if (!readOnly.isRead(request)) {
            return;
        }
        var isPage = MediaRange.prefersHtml(request.request().headers().get("Accept"));
        var body = Buffer.buffer(isPage ? html() : Json.write(json()));
        var response = request.response()
                .putHeader(RequestId.HEADER, RequestId.chosen(request.request().getHeader(RequestId.HEADER)))
                .putHeader("Content-Type", isPage ? "text/html;charset=UTF-8" : "application/json;charset=UTF-8")
                // Also the one of HEAD, to which no body is sent.
                .putHeader("Content-Length", String.valueOf(body.length()))
                .putHeader("Content-Security-Policy", policy)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cache-Control", "no-cache")
                .putHeader("Vary", "Accept");
        var _ = response.end(body);
    }

    private ObjectNode json() {
        var json = JsonNodeFactory.instance
                .objectNode()
                .put("name", "taskexec")
                .put("version", version)
                .put("documentation", Documents.FIRST)
                .put("openapi", OPENAPI);
        return hasSwaggerUi ? json.put("swagger_ui", SWAGGER_UI) : json;
    }

    private String html() {
        var body = """
                <h1>taskexec</h1>
                <p>A durable task executor: setTimeout and setInterval as a service. Version %s.</p>
                <ul>
                %s
                </ul>
                """.formatted(escape(version), items());
        return PlainPage.html("taskexec", STYLE, "", body);
    }

    private String items() {
        return links().entrySet().stream()
                .map(link -> "<li><a href=\"%s\">%s</a></li>".formatted(escape(link.getKey()), escape(link.getValue())))
                .collect(Collectors.joining("\n"));
    }

    private Map<String, String> links() {
        var links = new LinkedHashMap<String, String>();
        if (hasSwaggerUi) {
            links.put(SWAGGER_UI, "Try the API (Swagger UI)");
        }
        links.put(OPENAPI, "The API as an OpenAPI document");
        links.put(Documents.FIRST, "Documentation of this version");
        links.put(Documents.path("quickstart.md"), "Quickstart");
        links.put(Documents.path("api.md"), "API reference");
        links.put(Documents.path("cli.md"), "Command line");
        links.put(Documents.path("configuration.md"), "Settings");
        links.put(Documents.path("install.md"), "Installation");
        links.put(Documents.path("clients/curl.md"), "Calling it from curl");
        links.put(Documents.path("clients/python.md"), "Calling it from Python");
        links.put(Documents.path("clients/node.md"), "Calling it from Node.js");
        links.put(Documents.path("clients/java.md"), "Calling it from Java");
        links.put(Documents.path("clients/go.md"), "Calling it from Go");
        return links;
    }
}
