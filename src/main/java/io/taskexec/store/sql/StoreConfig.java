package io.taskexec.store.sql;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.time.Duration;

/** Settings of what is stored. */
@ConfigMapping(prefix = "te")
public interface StoreConfig {
    @Setting(
            value = "How long the idempotency key of a job keeps another job from being created; at most"
                    + " `TE_RETENTION_DAYS`, and the same in all processes.",
            unit = "h",
            min = 1,
            max = 876_000)
    @WithDefault("168")
    int idempotencyKeyTtlHours();

    default Duration idempotencyKeyTtl() {
        return Duration.ofHours(idempotencyKeyTtlHours());
    }
}
