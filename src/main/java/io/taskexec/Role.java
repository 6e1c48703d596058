package io.taskexec;

/** What a process does; any mix of roles can run in any number of processes. */
public enum Role {
    API,
    WORKER,
    SCHEDULER
}
