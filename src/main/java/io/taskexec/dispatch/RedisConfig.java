package io.taskexec.dispatch;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Optional;

/** Settings of deliveries to Redis ({@code TE_REDIS_*}). */
@ConfigMapping(prefix = "te")
public interface RedisConfig {
    /** TE_REDIS_DEDUP_TTL_HOURS: how long Redis remembers which executions it has an entry of. */
    @WithDefault("24")
    int redisDedupTtlHours();

    /** TE_REDIS_CA or TE_REDIS_CA_FILE: the authorities, in PEM, that vouch for servers instead of those of the system. */
    Optional<String> redisCa();

    default Duration redisDedupTtl() {
        return Duration.ofHours(redisDedupTtlHours());
    }
}
