package io.taskexec.api.filter;

import static io.quarkus.vertx.http.runtime.security.HttpSecurityRecorder.DefaultAuthFailureHandler.extractRootCause;
import static io.quarkus.vertx.http.runtime.security.QuarkusHttpUser.AUTH_FAILURE_HANDLER;
import static io.quarkus.vertx.http.runtime.security.SecurityHandlerPriorities.AUTHENTICATION;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.function.BiConsumer;

/**
 * Makes a login that fails at an identity provider an error like all others. Quarkus REST does the same one step later,
 * unless it is done; but then it builds all routes anew with every request, to name one of them for metrics that are
 * off here.
 */
@Singleton
final class AuthenticationFailures {
    void register(@Observes Filters filters) {
        // Of filters with one priority, those of the framework come first: it would put its own handler in place of
        // this.
        var _ = filters.register(AuthenticationFailures::replace, AUTHENTICATION);
    }

    private static void replace(RoutingContext context) {
        BiConsumer<RoutingContext, Throwable> handler = AuthenticationFailures::fail;
        context.put(AUTH_FAILURE_HANDLER, handler).next();
    }

    private static void fail(RoutingContext context, Throwable failure) {
        if (!context.failed()) {
            context.fail(extractRootCause(failure));
        }
    }
}
