package io.taskexec.store.sql;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import io.taskexec.model.Switch;
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

    default boolean isEnabled() {
        return eventsEnabled().isOn();
    }

    default Duration retention() {
        return Duration.ofHours(eventsRetentionHours());
    }
}
