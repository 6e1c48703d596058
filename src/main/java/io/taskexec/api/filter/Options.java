package io.taskexec.api.filter;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.taskexec.api.web.Errors;
import io.taskexec.api.web.PreRoutingErrors;
import io.taskexec.api.web.Routes;
import io.taskexec.request.RequestId;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.regex.Pattern;

/** Answers OPTIONS with the methods of the path. The framework knows only those of one of the classes that share it. */
@Singleton
public final class Options {
    /** After all other looks at a request, before any resource. */
    private static final int EARLY = 9_999;

    private static final int NO_CONTENT = 204;

    /** Pages, which are no resources, answer themselves. */
    private static final Pattern PAGE = Pattern.compile("/(q/|docs/|\\?|$)");

    private final PreRoutingErrors errors;

    Options(PreRoutingErrors errors) {
        this.errors = errors;
    }

    void register(@Observes Filters filters) {
        var _ = filters.register(this::answer, EARLY);
    }

    private void answer(RoutingContext context) {
        var request = context.request();
        if (!request.method().equals(HttpMethod.OPTIONS)
                || PAGE.matcher(request.uri()).lookingAt()) {
            context.next();
            return;
        }
        var methods = Routes.methods(request.path());
        if (methods.isEmpty()) {
            errors.write(context, Errors.nothingThere());
            return;
        }
        var _ = context.response()
                .setStatusCode(NO_CONTENT)
                .putHeader(Routes.ALLOW, String.join(", ", methods))
                .putHeader(RequestId.HEADER, RequestId.chosen(request.getHeader(RequestId.HEADER)))
                .end();
    }
}
