package io.taskexec.store;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Settings of the log of what happens to executions. */
@ConfigMapping(prefix = "te")
public interface EventsConfig {
    /** TE_EVENTS_ENABLED: whether this process writes down what it changes. */
    @WithDefault("false")
    Switch eventsEnabled();

    /** TE_EVENTS_RETENTION_HOURS: how long events are kept, in hours. */
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
