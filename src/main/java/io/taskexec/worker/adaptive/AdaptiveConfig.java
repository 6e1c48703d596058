package io.taskexec.worker.adaptive;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import io.taskexec.model.Switch;

/** Settings of the limits that are found out from the answers of receivers. */
@ConfigMapping(prefix = "te.adaptive")
public interface AdaptiveConfig {
    @Setting("Whether fewer executions of an endpoint run at once when its receiver"
            + " [refuses calls](flow.md#receivers-that-refuse).")
    @WithDefault("true")
    Switch enabled();
}
