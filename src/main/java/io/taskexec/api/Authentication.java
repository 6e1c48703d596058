package io.taskexec.api;

import io.taskexec.secret.ApiKeys;
import jakarta.inject.Singleton;
import jakarta.ws.rs.container.ContainerRequestContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jspecify.annotations.Nullable;

/** Lets requests with a valid {@code Authorization: Bearer} key pass, as many per second as the key may make. */
@Singleton
final class Authentication {
    private static final String SCHEME = "Bearer ";

    private final byte @Nullable [] bootstrapKey;
    private final RateLimit rateLimit;

    Authentication(ApiConfig config) {
        this.bootstrapKey = config.apiKey().map(ApiKeys::fingerprint).orElse(null);
        this.rateLimit = new RateLimit(config.rateLimitPerSec());
    }

    @ServerRequestFilter
    public void authenticate(ContainerRequestContext request) {
        if (!isValid(request.getHeaderString("Authorization"))) {
            throw new ApiException(ErrorCode.UNAUTHORIZED, "Send a valid API key as 'Authorization: Bearer <key>'.");
        }
        if (!rateLimit.take(System.nanoTime())) {
            throw new ApiException(ErrorCode.RATE_LIMITED, "This API key has used up its requests; try again soon.");
        }
    }

    private boolean isValid(@Nullable String header) {
        return header != null
                && bootstrapKey != null
                && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && ApiKeys.matches(
                        bootstrapKey, header.substring(SCHEME.length()).strip());
    }
}
