package io.taskexec.testing;

import io.taskexec.model.Switch;
import io.taskexec.store.sql.EventsConfig;

/** Events of executions are kept, for a day. */
public record EventsOn() implements EventsConfig {
    @Override
    public Switch eventsEnabled() {
        return Switch.TRUE;
    }

    @Override
    public int eventsRetentionHours() {
        return 24;
    }
}
