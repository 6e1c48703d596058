package io.taskexec.metrics;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Settings of the metrics. */
@ConfigMapping(prefix = "te")
public interface MetricsConfig {
    /** TE_METRICS_ENABLED: whether what happens with each job is measured, and queues are looked at for it. */
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
