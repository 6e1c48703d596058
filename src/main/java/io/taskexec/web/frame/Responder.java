package io.taskexec.web.frame;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.ApiConfig;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.RequestId;
import io.taskexec.store.sql.EventsConfig;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes pages, with the headers that tell a browser to run nothing but our scripts. */
@Singleton
final class Responder {
    /** The field of every form that says for which session it was made. */
    static final String FORM_MARK = "form_mark";

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
    private static final String NOTICE = "te_notice";
    private static final String SECRET = "te_secret";

    /** A form leaves something for the page after it; should that not be loaded, it is gone. */
    private static final Duration LEFT = Duration.ofMinutes(1);

    private static final int SEE_OTHER = 303;
    private static final int OK = 200;
    private static final Duration PREFERRED = Duration.ofDays(365);

    private final Templates templates;
    private final Assets assets;
    private final Sessions sessions;
    private final boolean isLive;
    private List<Section.Entry> navigation = List.of();

    Responder(Templates templates, Assets assets, Sessions sessions, EventsConfig events, ApiConfig config) {
        this.templates = templates;
        this.assets = assets;
        this.sessions = sessions;
        this.isLive = events.isEnabled() && config.eventsMaxStreams() > 0;
    }

    /** Sets the entries of the navigation. */
    void show(List<Section.Entry> entries) {
        navigation = entries;
    }

    /** Sets the headers that all answers have. */
    void begin(RoutingContext context) {
        var requestId = RequestId.chosen(context.request().getHeader(RequestId.HEADER));
        context.put(RequestId.HEADER, requestId);
        context.response()
                .putHeader(RequestId.HEADER, requestId)
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Referrer-Policy", "same-origin")
                .putHeader("Cross-Origin-Opener-Policy", "same-origin")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin")
                .putHeader("Cache-Control", "no-store");
        context.next();
    }

    void asset(RoutingContext context) {
        var found = assets.find(String.valueOf(context.pathParam("name")));
        if (found == null) {
            fail(context, null, new ApiException(ErrorCode.NOT_FOUND, "There is no such file."));
            return;
        }
        var _ = context.response()
                .putHeader("Content-Type", found.type())
                .putHeader("Cache-Control", "public, max-age=31536000, immutable")
                .end(found.content());
    }

    /** Keeps the time zone or the theme that was chosen. */
    Uni<Reply> prefer(Visit visit) {
        var zone = visit.form("zone");
        var theme = visit.form("theme");
        if (zone != null) {
            if (Preferences.zoneOf(zone) == null) {
                throw new ApiException(
                        ErrorCode.INVALID_REQUEST, "There is no time zone of that name; Europe/Berlin is one.");
            }
            Sessions.set(visit.context(), Preferences.ZONE, zone, PREFERRED);
        }
        if (theme != null) {
            Sessions.set(visit.context(), Preferences.THEME, Preferences.themeOf(theme), PREFERRED);
        }
        return Uni.createFrom().item(new Reply.Moved(ours(visit.form("back")), null));
    }

    /** The path if it leads into the dashboard, and its first page otherwise. */
    static String ours(@Nullable String path) {
        return path != null && path.startsWith("/ui/") && !path.contains("\\") && !path.contains("//")
                ? path.replaceAll("[\\r\\n]", "")
                : "/ui/";
    }

    void send(Visit visit, Reply reply) {
        var context = visit.context();
        switch (reply) {
            case Reply.Page page -> {
                var data = frame(visit, page.title(), page.data());
                data.put(
                        "secret",
                        once(context, SECRET, String.valueOf(context.request().path())));
                html(context, OK, page.template(), data);
            }
            case Reply.Moved(var path, var notice) -> {
                if (notice != null) {
                    Sessions.set(context, NOTICE, Display.encode(notice), LEFT);
                }
                move(context, path);
            }
            case Reply.Made(var path, var secret) -> {
                Sessions.setAt(context, path, SECRET, Display.encode(secret), LEFT);
                move(context, path);
            }
            case Reply.Streamed _ -> {}
        }
    }

    static void move(RoutingContext context, String path) {
        var _ = context.response()
                .setStatusCode(SEE_OTHER)
                .putHeader("Location", path)
                .end();
    }

    /** Answers with an error, within the frame for a person who has logged in. */
    void fail(RoutingContext context, @Nullable Visit visit, ApiException error) {
        if (context.response().headWritten()) {
            context.response().reset();
            return;
        }
        error.headers().forEach((name, value) -> context.response().putHeader(name, value));
        context.response().headers().remove("WWW-Authenticate");
        var data = new HashMap<String, @Nullable Object>();
        var message = String.valueOf(error.getMessage());
        data.put("message", message);
        data.put(
                "details",
                error.details().stream()
                        .map(one ->
                                one.pointer().isEmpty() ? one.message() : "'" + one.pointer() + "' " + one.message())
                        .filter(detail -> !message.contains(detail))
                        .toList());
        data.put("request", context.<Object>get(RequestId.HEADER));
        var status = error.code().status();
        if (visit == null) {
            alone(context, status, "stop", "Not done", data);
        } else {
            html(context, status, "error", frame(visit, "Not done", data));
        }
    }

    /** Writes a page for a person who has not logged in. */
    void alone(RoutingContext context, int status, String template, String title, Map<String, @Nullable Object> data) {
        var all = new HashMap<String, @Nullable Object>(data);
        var preferences = Preferences.of(context.request());
        all.put("title", title);
        all.put("theme", preferences.theme());
        all.put("assets", assets.paths());
        html(context, status, template, all);
    }

    /** The mark for a login form. */
    String loginMark(RoutingContext context) {
        return sessions.loginMark(context);
    }

    private Map<String, @Nullable Object> frame(Visit visit, String title, Map<String, @Nullable Object> data) {
        var request = visit.context().request();
        var path = String.valueOf(request.path());
        var all = new HashMap<String, @Nullable Object>(data);
        all.put("title", title);
        all.put("path", path);
        all.put("isFurther", visit.query("cursor") != null);
        all.put("here", here(request.method(), request.uri(), request.getHeader("Referer")));
        all.put("theme", visit.preferences().theme());
        all.put("zone", visit.preferences().zoneName());
        all.put("user", visit.caller().name());
        all.put("isPerson", People.isPerson(visit.caller()));
        all.put(
                "may",
                Map.of(
                        "jobs", visit.may(KeyScope.JOBS),
                        "admin", visit.may(KeyScope.ADMIN)));
        all.put("mark", visit.formMark());
        all.put("assets", assets.paths());
        all.put("isLive", isLive);
        all.put("notice", once(visit.context(), NOTICE, Site.PATH));
        all.put(
                "navigation",
                navigation.stream()
                        .filter(entry -> visit.may(entry.needed()))
                        .map(entry -> Map.of(
                                "path", "/ui" + entry.path(),
                                "title", entry.title(),
                                "current", isWithin(path, "/ui" + entry.path())))
                        .toList());
        all.put("show", new Display(visit.preferences().zone()));
        return all;
    }

    /** Where the page is seen again. What answers a form is not: the page with the form stands for it. */
    static String here(HttpMethod method, String uri, @Nullable String referer) {
        return method.equals(HttpMethod.GET)
                ? uri
                // The looks before a retry and a backfill are answers to forms, too.
                : ours(referer == null ? null : referer.replaceFirst("^https?://[^/]*", ""))
                        .replaceFirst("(/backfill)?/preview$", "");
    }

    private static boolean isWithin(String path, String entry) {
        return entry.equals("/ui/") ? path.equals(entry) : path.equals(entry) || path.startsWith(entry + "/");
    }

    /** Returns the text that the request before has left in a cookie, which is removed. */
    private static @Nullable String once(RoutingContext context, String name, String path) {
        var cookie = context.request().getCookie(name);
        if (cookie == null || cookie.getValue().isEmpty()) {
            return null;
        }
        Sessions.setAt(context, path, name, "", Duration.ZERO);
        return Display.decode(cookie.getValue());
    }

    private void html(RoutingContext context, int status, String template, Map<String, @Nullable Object> data) {
        HttpServerResponse response = context.response();
        var _ = response.setStatusCode(status)
                .putHeader("Content-Type", "text/html;charset=UTF-8")
                .end(templates.render(template, data));
    }
}
