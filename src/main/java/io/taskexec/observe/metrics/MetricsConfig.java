package io.taskexec.observe.metrics;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import io.taskexec.model.Switch;

/** Settings of the metrics. */
@ConfigMapping(prefix = "te")
public interface MetricsConfig {
    @Setting("Whether [what happens with each job](operations.md#metrics) is measured. Metrics of the process and of"
            + " what"
            + " is stored are there in any case.")
    @WithDefault("true")
    Switch metricsEnabled();

    default boolean isEnabled() {
        return metricsEnabled().isOn();
    }
}
