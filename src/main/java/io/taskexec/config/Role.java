package io.taskexec.config;

import java.util.Locale;

/** A role of a process; any mix of roles can run in any number of processes. */
public enum Role {
    API,
    WORKER,
    SCHEDULER;

    /** What a region has where somebody has the role. */
    public String component() {
        return name().toLowerCase(Locale.ROOT);
    }
}
