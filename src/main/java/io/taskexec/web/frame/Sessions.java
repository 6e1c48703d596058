package io.taskexec.web.frame;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.auth.KeyLogin;
import io.taskexec.api.web.Caller;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.secret.SignedTexts;
import io.taskexec.secret.SignedTexts.Use;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps people logged in with a signed cookie, which has the id of their key, or who they are, and the time of its end.
 * Nothing is stored, and each request looks whether the key is still valid: all processes know a session, and none
 * outlives its key.
 */
@Singleton
final class Sessions {
    static final String COOKIE = "te_session";

    private static final String LOGIN_COOKIE = "te_login";
    private static final Duration LIFETIME = Duration.ofHours(12);
    private static final int NONCE_BYTES = 16;
    private static final Pattern NONCE = Pattern.compile("[0-9a-f]{%d}".formatted(2 * NONCE_BYTES));

    private final SignedTexts texts;
    private final KeyLogin keys;
    private final People people;
    private final SecureRandom random = new SecureRandom();

    Sessions(SignedTexts texts, KeyLogin keys, People people) {
        this.texts = texts;
        this.keys = keys;
        this.people = people;
    }

    /** Begins a session. */
    void begin(RoutingContext context, Caller caller) {
        var end = Instant.now().plus(LIFETIME).getEpochSecond();
        var id = People.isPerson(caller) ? people.idOf(caller) : keys.idOf(caller);
        var text = texts.sign(Use.SESSION, end + " " + nonce() + " " + id);
        set(context, COOKIE, text, LIFETIME);
    }

    /** Ends the session in this browser. */
    static void end(RoutingContext context) {
        set(context, COOKIE, "", Duration.ZERO);
    }

    /** Returns the person whose session it is; empty without one that is valid. */
    Uni<Optional<Caller>> find(HttpServerRequest request) {
        var cookie = request.getCookie(COOKIE);
        var text = cookie == null ? null : texts.read(Use.SESSION, cookie.getValue());
        var parts = text == null ? new String[0] : text.split(" ", 3);
        if (parts.length < 3 || Long.parseLong(parts[0]) <= Instant.now().getEpochSecond()) {
            return Uni.createFrom().item(Optional.empty());
        }
        return People.isId(parts[2]) ? Uni.createFrom().item(people.again(parts[2])) : keys.again(parts[2]);
    }

    /** The text that every form of the session carries. */
    String formMark(HttpServerRequest request) {
        return texts.mark(Use.FORM, value(request.getCookie(COOKIE)));
    }

    /** Whether a form was made for this session. */
    boolean isOurs(HttpServerRequest request, @Nullable String formMark) {
        return formMark != null && texts.isMark(Use.FORM, value(request.getCookie(COOKIE)), formMark);
    }

    /** Refuses a form that was not made for the session. */
    static ApiException notOurs() {
        return new ApiException(ErrorCode.FORBIDDEN, "This form was not made for your session. Load its page again.");
    }

    /** The text that the login form carries, which a cookie of this browser belongs to; all its windows share it. */
    String loginMark(RoutingContext context) {
        var held = value(context.request().getCookie(LOGIN_COOKIE));
        // Whatever else is sent as this cookie gets no mark: it might be the text of another form.
        var nonce = NONCE.matcher(held).matches() ? held : nonce();
        set(context, LOGIN_COOKIE, nonce, Duration.ofHours(1));
        return texts.mark(Use.FORM, nonce);
    }

    /** Whether a login form was made for this browser. */
    boolean isLoginOurs(HttpServerRequest request, @Nullable String formMark) {
        var cookie = request.getCookie(LOGIN_COOKIE);
        return cookie != null && formMark != null && texts.isMark(Use.FORM, cookie.getValue(), formMark);
    }

    private static String value(@Nullable Cookie cookie) {
        return cookie == null ? "" : cookie.getValue();
    }

    private String nonce() {
        var bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Sets a cookie that no script can read and that no other site has sent along. */
    static void set(RoutingContext context, String name, String value, Duration lifetime) {
        set(context, name, value, lifetime, CookieSameSite.STRICT);
    }

    static void set(RoutingContext context, String name, String value, Duration lifetime, CookieSameSite sameSite) {
        context.response().addCookie(cookie(context, name, value, lifetime).setSameSite(sameSite));
    }

    /** Sets such a cookie, which the browser sends to this path and those below it alone. */
    static void setAt(RoutingContext context, String path, String name, String value, Duration lifetime) {
        context.response().addCookie(cookie(context, name, value, lifetime).setPath(path));
    }

    private static Cookie cookie(RoutingContext context, String name, String value, Duration lifetime) {
        return Cookie.cookie(name, value)
                .setPath(Site.PATH)
                .setMaxAge(lifetime.toSeconds())
                .setHttpOnly(true)
                .setSecure(isSecure(context.request()))
                .setSameSite(CookieSameSite.STRICT);
    }

    /** Whether the person speaks TLS, with us or with a proxy of ours. */
    static boolean isSecure(HttpServerRequest request) {
        return request.isSSL() || "https".equalsIgnoreCase(request.getHeader("X-Forwarded-Proto"));
    }
}
