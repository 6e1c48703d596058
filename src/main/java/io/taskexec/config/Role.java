package io.taskexec.config;

import java.util.Locale;

/** A role of a process; any mix of roles can run in any number of processes. */
public enum Role {
    API,
    WORKER,
    SCHEDULER;

    /** The name of the role in the heartbeats of a region. */
    public String component() {
        return name().toLowerCase(Locale.ROOT);
    }
}
