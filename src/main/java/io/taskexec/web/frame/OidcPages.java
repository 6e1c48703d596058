package io.taskexec.web.frame;

import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticator;
import io.taskexec.api.web.CountedRoutes;
import io.taskexec.api.web.OidcConfig;
import io.taskexec.model.VisibleText;
import io.taskexec.request.ErrorCode;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Objects;
import java.util.stream.Stream;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Sends people to the identity provider, and begins the sessions of those who come back from it. */
@Singleton
final class OidcPages {
    private static final Logger LOG = Logger.getLogger(OidcPages.class);
    private static final String GOAL = "te_goal";
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final int OK = 200;
    /** The beginning of the cookies in which Quarkus would keep a session of its own. */
    private static final String TOKENS = "q_session";

    private final @Nullable String provider;
    private final Provider<HttpAuthenticator> authenticator;
    private final People people;
    private final Sessions sessions;
    private final Responder responder;

    OidcPages(
            OidcConfig config,
            Provider<HttpAuthenticator> authenticator,
            People people,
            Sessions sessions,
            Responder responder) {
        this.provider =
                config.issuer().map(issuer -> URI.create(issuer).getHost()).orElse(null);
        this.authenticator = authenticator;
        this.people = people;
        this.sessions = sessions;
        this.responder = responder;
    }

    /** Shows why a person was not logged in, and how to try again. */
    @FunctionalInterface
    interface Refusal {
        void show(RoutingContext context, int status, String problem);
    }

    /** The name of the identity provider; null without one. */
    @Nullable
    String provider() {
        return provider;
    }

    void addTo(Router router, Refusal refusal) {
        if (provider != null) {
            CountedRoutes.add(router, HttpMethod.GET, Site.PATH, "/login/oidc")
                    .handler(context -> leave(context, refusal));
            CountedRoutes.add(router, HttpMethod.GET, Site.PATH, "/login/oidc/done")
                    .handler(context -> arrive(context, refusal));
        }
    }

    private void leave(RoutingContext context, Refusal refusal) {
        // A page of another site leads back here, with which a browser sends no strict cookie.
        var goal = Display.encode(Responder.ours(context.request().getParam("to")));
        Sessions.set(context, GOAL, goal, PATIENCE, CookieSameSite.LAX);
        authenticator
                .get()
                .sendChallenge(context)
                .subscribe()
                .with(
                        _ -> {
                            if (!context.response().ended()) {
                                var _ = context.response().end();
                            }
                        },
                        failure -> {
                            LOG.warnf("the identity provider cannot be asked: %s", failure);
                            refusal.show(
                                    context,
                                    ErrorCode.UNAVAILABLE.status(),
                                    provider + " cannot be reached. Try again soon, or log in with an API key.");
                        });
    }

    private void arrive(RoutingContext context, Refusal refusal) {
        authenticator
                .get()
                .attemptAuthentication(context)
                .subscribe()
                .with(identity -> begin(context, identity, refusal), failure -> {
                    LOG.infof("a login at the identity provider has failed: %s", reason(failure));
                    forgetTokens(context);
                    refuse(context, refusal);
                });
    }

    private void begin(RoutingContext context, @Nullable SecurityIdentity identity, Refusal refusal) {
        forgetTokens(context);
        if (identity == null
                || !(identity.getPrincipal() instanceof JsonWebToken token)
                || token.getSubject() == null) {
            refuse(context, refusal);
            return;
        }
        var name = name(token);
        people.of(token.getSubject(), name, identity.getRoles())
                .ifPresentOrElse(
                        person -> {
                            sessions.begin(context, person);
                            var data = new HashMap<String, @Nullable Object>();
                            data.put("to", goal(context));
                            // The browser still counts this as a visit from another site, with which it sends no
                            // session.
                            responder.alone(context, OK, "again", "taskexec", data);
                        },
                        () -> refusal.show(context, ErrorCode.FORBIDDEN.status(), unknownGroups(name)));
    }

    private String unknownGroups(String name) {
        return "%s knows you as %s, but none of your groups may use this dashboard. Ask an administrator."
                .formatted(provider, name);
    }

    private void refuse(RoutingContext context, Refusal refusal) {
        refusal.show(
                context,
                ErrorCode.UNAUTHORIZED.status(),
                provider + " did not log you in, or you did not come from this page. Try again.");
    }

    private static String name(JsonWebToken token) {
        return Stream.of("preferred_username", "email", "sub")
                .map(claim -> token.<@Nullable Object>getClaim(claim))
                .filter(Objects::nonNull)
                .map(String::valueOf)
                .filter(text -> !text.isBlank())
                .findFirst()
                .orElse("");
    }

    private static String goal(RoutingContext context) {
        var cookie = context.request().getCookie(GOAL);
        Sessions.set(context, GOAL, "", Duration.ZERO, CookieSameSite.LAX);
        return Responder.ours(cookie == null ? null : Display.decode(cookie.getValue()));
    }

    /** The tokens have done their duty. */
    private static void forgetTokens(RoutingContext context) {
        var names = context.request().cookies().stream()
                .map(Cookie::getName)
                .distinct()
                .toList();
        names.stream().filter(name -> name.startsWith(TOKENS)).forEach(name -> {
            var _ = context.response().removeCookies(name, false);
        });
    }

    private static String reason(Throwable failure) {
        var cause = failure.getCause();
        return VisibleText.of(String.valueOf(cause == null ? failure.getMessage() : cause.getMessage()));
    }
}
