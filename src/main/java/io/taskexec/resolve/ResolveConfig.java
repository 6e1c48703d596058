package io.taskexec.resolve;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Settings of resolving. */
@ConfigMapping(prefix = "te.secret-cache")
public interface ResolveConfig {
    /** TE_SECRET_CACHE_TTL_SEC: how long a decrypted secret may stay in memory; a rotated one is never used. */
    @WithDefault("300")
    int ttlSec();

    default Duration secretCacheTtl() {
        return Duration.ofSeconds(ttlSec());
    }
}
