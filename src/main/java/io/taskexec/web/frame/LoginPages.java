package io.taskexec.web.frame;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.auth.KeyLogin;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.CountedRoutes;
import io.taskexec.model.audit.ClientNetwork;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorMapping;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Logs people in with an API key or at the identity provider, and out. */
@Singleton
final class LoginPages {
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;

    private final KeyLogin keys;
    private final Sessions sessions;
    private final Responder responder;
    private final OidcPages oidc;

    LoginPages(KeyLogin keys, Sessions sessions, Responder responder, OidcPages oidc) {
        this.oidc = oidc;
        this.keys = keys;
        this.sessions = sessions;
        this.responder = responder;
    }

    void addTo(Router router) {
        CountedRoutes.add(router, HttpMethod.GET, Site.PATH, "/login").handler(context -> form(context, OK, null));
        CountedRoutes.add(router, HttpMethod.POST, Site.PATH, "/login").handler(this::logIn);
        CountedRoutes.add(router, HttpMethod.POST, Site.PATH, "/logout").handler(this::logOut);
        oidc.addTo(router, this::form);
    }

    /**
     * Leads who has no session to the login. A browser that comes from another site sends no cookie of ours along; one
     * more request, which comes from here, may have it.
     */
    void lead(RoutingContext context) {
        var request = context.request();
        var isRead = request.method().equals(HttpMethod.GET);
        if (isRead && "cross-site".equals(request.getHeader("Sec-Fetch-Site"))) {
            var data = new HashMap<String, @Nullable Object>();
            data.put("to", Responder.ours(request.uri()));
            responder.alone(context, OK, "again", "taskexec", data);
        } else if (isRead && request.getHeader("HX-Request") == null) {
            Responder.move(context, "/ui/login?to=" + Display.encode(Responder.ours(request.uri())));
        } else {
            // What was asked for cannot be seen again: it is an action, or a part of a page.
            var page = Responder.here(HttpMethod.POST, "", request.getHeader("Referer"));
            form(context, UNAUTHORIZED, "Your session has ended. Log in again.", page);
        }
    }

    private void form(RoutingContext context, int status, @Nullable String problem) {
        form(context, status, problem, Responder.ours(context.request().getParam("to")));
    }

    private void form(RoutingContext context, int status, @Nullable String problem, String to) {
        var data = new HashMap<String, @Nullable Object>();
        data.put("problem", problem);
        data.put("mark", responder.loginMark(context));
        data.put("to", to);
        data.put("goal", Display.encode(to));
        data.put("provider", oidc.provider());
        responder.alone(context, status, "login", "Log in", data);
    }

    private void logIn(RoutingContext context) {
        var request = context.request();
        if (!sessions.isLoginOurs(request, request.getFormAttribute(Responder.FORM_MARK))) {
            form(context, UNAUTHORIZED, "This form is too old, or cookies are off. Try again.");
            return;
        }
        var key = request.getFormAttribute("key");
        var from = ClientNetwork.of(String.valueOf(request.remoteAddress().hostAddress()));
        Uni.createFrom()
                .deferred(() -> key == null || key.isBlank()
                        ? Uni.createFrom().item(Optional.<Caller>empty())
                        : keys.logIn(key.strip(), from))
                .subscribe()
                .with(
                        caller -> caller.ifPresentOrElse(
                                found -> {
                                    sessions.begin(context, found);
                                    Responder.move(context, Responder.ours(request.getFormAttribute("to")));
                                },
                                () -> form(context, UNAUTHORIZED, "That is not a valid API key.")),
                        failure -> refuse(context, ErrorMapping.explain(failure)));
    }

    private void refuse(RoutingContext context, ApiException error) {
        error.headers().forEach((name, value) -> context.response().putHeader(name, value));
        form(context, error.code().status(), error.getMessage());
    }

    private void logOut(RoutingContext context) {
        var request = context.request();
        if (request.getCookie(Sessions.COOKIE) != null
                && !sessions.isOurs(request, request.getFormAttribute(Responder.FORM_MARK))) {
            responder.fail(context, null, Sessions.notOurs());
            return;
        }
        Sessions.end(context);
        Responder.move(context, "/ui/login");
    }
}
