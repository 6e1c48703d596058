package io.taskexec.api.openapi;

import io.taskexec.api.filter.ReadOnlyPath;
import io.taskexec.api.web.PreRoutingErrors;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.RequestId;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code GET /docs/...}, without a key: the documents of the version that runs, as the text that they are. */
@Singleton
final class Documents {
    /** The first page. */
    static final String FIRST = path("README.md");

    private static final Pattern PAGE = Pattern.compile("(?:clients/)?[A-Za-z-]{1,40}\\.md");

    private final ReadOnlyPath readOnly;
    private final PreRoutingErrors errors;

    Documents(ReadOnlyPath readOnly, PreRoutingErrors errors) {
        this.readOnly = readOnly;
        this.errors = errors;
    }

    static String path(String page) {
        return "/docs/" + page;
    }

    void open(@Observes Router router) {
        // The text is read from an archive, which the threads of requests should not wait for.
        router.routeWithRegex("/docs/(?<page>.*)").blockingHandler(this::answer, false);
    }

    private void answer(RoutingContext request) {
        if (!readOnly.isRead(request)) {
            return;
        }
        var page = request.pathParam("page");
        var text = page != null && PAGE.matcher(page).matches() ? read(page) : null;
        if (text == null) {
            errors.write(request, new ApiException(ErrorCode.NOT_FOUND, "There is no such document."));
            return;
        }
        var _ = request.response()
                .putHeader(RequestId.HEADER, RequestId.chosen(request.request().getHeader(RequestId.HEADER)))
                .putHeader("Content-Type", "text/plain;charset=UTF-8")
                // Also the one of HEAD, to which no body is sent.
                .putHeader("Content-Length", String.valueOf(text.length))
                .putHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Cache-Control", "no-cache")
                .end(Buffer.buffer(text));
    }

    private static byte @Nullable [] read(String page) {
        try (var resource = Documents.class.getResourceAsStream("/documents/" + page)) {
            return resource == null ? null : resource.readAllBytes();
        } catch (IOException _) {
            return null;
        }
    }
}
