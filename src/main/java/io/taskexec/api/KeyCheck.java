package io.taskexec.api;

import io.taskexec.secret.ApiKeys;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** The API keys that are valid, and how much each may ask for. */
@Singleton
class KeyCheck {
    private final byte @Nullable [] bootstrapKey;
    private final RateLimit rateLimit;

    KeyCheck(ApiConfig config) {
        this.bootstrapKey = config.apiKey().map(ApiKeys::fingerprint).orElse(null);
        this.rateLimit = new RateLimit(config.rateLimitPerSec());
    }

    boolean isValid(String key) {
        return bootstrapKey != null && ApiKeys.matches(bootstrapKey, key);
    }

    boolean mayRequest() {
        return rateLimit.take(System.nanoTime());
    }
}
