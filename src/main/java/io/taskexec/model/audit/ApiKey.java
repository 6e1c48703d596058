package io.taskexec.model.audit;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The public part of an API key: everything but the key.
 *
 * @param endpoints those that it may work for; null for all
 */
public record ApiKey(
        String id,
        String name,
        Set<KeyScope> scopes,
        @Nullable Set<String> endpoints,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt,
        @Nullable Instant lastUsedAt) {}
