package io.taskexec.metrics;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;

/** Settings of the metrics. */
@ConfigMapping(prefix = "te")
public interface MetricsConfig {
    @Setting(
            "Whether [what happens with each job](operations.md#metrics) is measured. Metrics of the process and of what"
                    + " is stored are there in any case.")
    @WithDefault("true")
    Switch metricsEnabled();

    /** A boolean that is written as one: the usual conversion takes every word that it does not know for false. */
    enum Switch {
        TRUE,
        FALSE
    }

    default boolean isEnabled() {
        return metricsEnabled() == Switch.TRUE;
    }
}
