package io.taskexec.model.audit;

import io.taskexec.model.Option;

/** A permission of an API key; each scope includes the ones before it. */
public enum KeyScope implements Option {
    /** Reads everything but keys and the audit log. */
    READ,
    /** Also creates, updates and cancels jobs and executions. */
    JOBS,
    /** Also creates jobs with targets of their own. */
    ADHOC,
    /** Everything. */
    ADMIN;

    /** Whether this scope is enough where {@code needed} is asked for. */
    public boolean includes(KeyScope needed) {
        return compareTo(needed) >= 0;
    }
}
