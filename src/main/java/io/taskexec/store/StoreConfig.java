package io.taskexec.store;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Settings of what is stored. */
@ConfigMapping(prefix = "te")
public interface StoreConfig {
    /** TE_IDEMPOTENCY_KEY_TTL_HOURS: how long the key of a job keeps another job from being created, in hours. */
    @WithDefault("168")
    int idempotencyKeyTtlHours();

    default Duration idempotencyKeyTtl() {
        return Duration.ofHours(idempotencyKeyTtlHours());
    }
}
