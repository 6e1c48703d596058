package io.taskexec.store;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.time.Duration;

/** Settings of the log of what happens to executions. */
@ConfigMapping(prefix = "te")
public interface EventsConfig {
    @Setting("Whether this process writes down [what it does to executions](events.md). The same in all processes.")
    @WithDefault("false")
    Switch eventsEnabled();

    @Setting(
            value = "How long events are kept; at most `TE_RETENTION_DAYS`. For the role scheduler.",
            unit = "h",
            min = 1,
            max = 876_000)
    @WithDefault("24")
    int eventsRetentionHours();

    /** A boolean that is written as one: the usual conversion takes every word that it does not know for false. */
    enum Switch {
        TRUE,
        FALSE
    }

    default boolean isEnabled() {
        return eventsEnabled() == Switch.TRUE;
    }

    default Duration retention() {
        return Duration.ofHours(eventsRetentionHours());
    }
}
