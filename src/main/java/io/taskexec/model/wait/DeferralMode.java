package io.taskexec.model.wait;

import io.taskexec.model.Option;

/** The way in which a deferred execution ends. */
public enum DeferralMode implements Option {
    /** Its receiver calls back. */
    CALLBACK,
    /** Its receiver is asked from time to time. */
    POLL
}
