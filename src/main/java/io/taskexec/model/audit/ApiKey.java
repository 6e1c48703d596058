package io.taskexec.model.audit;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The public part of an API key: everything but the key. */
public record ApiKey(
        String id,
        String name,
        Set<KeyScope> scopes,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt,
        @Nullable Instant lastUsedAt) {}
