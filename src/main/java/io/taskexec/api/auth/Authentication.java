package io.taskexec.api.auth;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.model.audit.ClientNetwork;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import jakarta.ws.rs.container.ContainerRequestContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.SimpleResourceInfo;
import org.jspecify.annotations.Nullable;

/** Lets requests with a valid {@code Authorization: Bearer} key pass that may do what they ask for, and that often. */
@Singleton
public final class Authentication {
    public static final String CHALLENGE = "WWW-Authenticate";

    private static final String SCHEME = "Bearer ";
    private static final String WRONG_KEY = "Bearer error=\"invalid_token\"";

    private final Provider<KeyCheck> keys;

    /** @param keys asked for with each request, because filters are made before settings can be read */
    Authentication(Provider<KeyCheck> keys) {
        this.keys = keys;
    }

    /** Returns null when the request can go on at once, without being suspended. */
    @ServerRequestFilter
    public @Nullable Uni<Void> authenticate(
            ContainerRequestContext request, SimpleResourceInfo resource, HttpServerRequest connection) {
        if (Permission.isOpen(resource.getResourceClass())) {
            return null;
        }
        var check = keys.get();
        var key = bearer(request.getHeaderString("Authorization"));
        if (key == null) {
            throw unauthorized(SCHEME.strip());
        }
        var known = check.known(key);
        if (known != null) {
            admit(known, check, request, resource);
            return null;
        }
        var from = ClientNetwork.of(String.valueOf(connection.remoteAddress().hostAddress()));
        return check.lookUp(key, from)
                .map(found -> found.orElseThrow(() -> unauthorized(WRONG_KEY)))
                .invoke(caller -> admit(caller, check, request, resource))
                .replaceWithVoid();
    }

    private static void admit(
            Caller caller, KeyCheck check, ContainerRequestContext request, SimpleResourceInfo resource) {
        if (!check.mayRequest(caller)) {
            throw new ApiException(ErrorCode.RATE_LIMITED, "This API key has used up its requests; try again soon.");
        }
        caller.require(Permission.needed(request.getMethod(), resource.getResourceClass()));
        caller.attachTo(request);
    }

    /** @param challenge who sent no key is not told that it is wrong (RFC 6750, 3.1) */
    private static ApiException unauthorized(String challenge) {
        return new ApiException(ErrorCode.UNAUTHORIZED, "Send a valid API key as 'Authorization: Bearer <key>'.")
                .with(CHALLENGE, challenge);
    }

    private static @Nullable String bearer(@Nullable String header) {
        return header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? header.substring(SCHEME.length()).strip()
                : null;
    }
}
