package io.taskexec.resolve;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.time.Duration;

/** Settings of resolving. */
@ConfigMapping(prefix = "te.secret-cache")
public interface ResolveConfig {
    @Setting(
            value = "How long a decrypted secret may stay in memory. A changed secret is used at once,"
                    + " whatever this says.",
            unit = "s",
            min = 1,
            max = 86_400)
    @WithDefault("300")
    int ttlSec();

    default Duration secretCacheTtl() {
        return Duration.ofSeconds(ttlSec());
    }
}
