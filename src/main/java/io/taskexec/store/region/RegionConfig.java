package io.taskexec.store.region;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.time.Duration;

/** Settings of regions. */
@ConfigMapping(prefix = "te")
public interface RegionConfig {
    @Setting(
            value = "The [region](operations.md#regions) that this process runs in. With one region it has no use.",
            form = "letters a to z, digits and `-`",
            min = 1,
            max = 63)
    @WithDefault("default")
    String region();

    @Setting(
            value = "When no worker of a region was heard of for so long, another region takes over its work;"
                    + " at least `TE_WORKER_SILENCE_SEC`. The same in all processes.",
            unit = "s",
            min = 11,
            max = 3600)
    @WithDefault("30")
    int regionSilenceSec();

    default Duration regionSilence() {
        return Duration.ofSeconds(regionSilenceSec());
    }
}
