package io.taskexec.dispatch.redis;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.time.Duration;
import java.util.Optional;

/** Settings of deliveries to Redis ({@code TE_REDIS_*}). */
@ConfigMapping(prefix = "te")
public interface RedisConfig {
    @Setting(
            value = "How long Redis [remembers](delivery.md#redis-streams) which executions it has an entry of.",
            unit = "h",
            min = 1,
            max = 8_760)
    @WithDefault("24")
    int redisDedupTtlHours();

    @Setting(
            value = "The authorities, as certificates in PEM, that vouch for `rediss://` servers, instead of"
                    + " those of the JDK.",
            file = true)
    Optional<String> redisCa();

    default Duration redisDedupTtl() {
        return Duration.ofHours(redisDedupTtlHours());
    }
}
