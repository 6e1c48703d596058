package io.taskexec.model.audit;

import io.taskexec.model.Option;

/** A permission of an API key. Each scope includes the ones before it, except that only ADMIN includes WORK. */
public enum KeyScope implements Option {
    /** Reads everything but keys and the audit log. */
    READ,
    /** Also creates, updates and cancels jobs and executions. */
    JOBS,
    /** Also creates jobs with targets of their own. */
    ADHOC,
    /** Leases executions and ends them, and nothing else. */
    WORK,
    /** Everything. */
    ADMIN;

    /** Whether this scope is enough where {@code needed} is asked for. */
    public boolean includes(KeyScope needed) {
        return this == needed || this == ADMIN || (this != WORK && needed != WORK && compareTo(needed) >= 0);
    }
}
