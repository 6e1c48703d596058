package io.taskexec.api;

import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import jakarta.ws.rs.container.ContainerRequestContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jspecify.annotations.Nullable;

/** Lets requests with a valid {@code Authorization: Bearer} key pass, as many per second as the key may make. */
@Singleton
final class Authentication {
    private static final String SCHEME = "Bearer ";

    private final Provider<KeyCheck> keys;

    /** @param keys asked for with each request, because filters are made before settings can be read */
    Authentication(Provider<KeyCheck> keys) {
        this.keys = keys;
    }

    @ServerRequestFilter
    public void authenticate(ContainerRequestContext request) {
        var key = bearer(request.getHeaderString("Authorization"));
        if (key == null || !keys.get().isValid(key)) {
            throw new ApiException(ErrorCode.UNAUTHORIZED, "Send a valid API key as 'Authorization: Bearer <key>'.");
        }
        if (!keys.get().mayRequest()) {
            throw new ApiException(ErrorCode.RATE_LIMITED, "This API key has used up its requests; try again soon.");
        }
    }

    private static @Nullable String bearer(@Nullable String header) {
        return header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? header.substring(SCHEME.length()).strip()
                : null;
    }
}
