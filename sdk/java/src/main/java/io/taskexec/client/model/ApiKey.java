package io.taskexec.client.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key of the API. The key itself is there when it was just created.
 *
 * @param endpoints those that it may work for; null for all
 * @param key the key itself, in the answer to its creation only
 */
public record ApiKey(
        String keyId,
        String name,
        List<String> scopes,
        @Nullable List<String> endpoints,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt,
        @Nullable Instant lastUsedAt,
        @Nullable String key) {}
