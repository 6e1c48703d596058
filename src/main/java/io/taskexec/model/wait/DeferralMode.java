package io.taskexec.model.wait;

import io.taskexec.model.Option;
import java.util.Set;

/** The way in which a deferred execution ends. */
public enum DeferralMode implements Option {
    /** Its receiver calls back. */
    CALLBACK,
    /** Its receiver is asked from time to time. */
    POLL,
    /** A person decides. */
    APPROVAL;

    /** Those that a receiver may choose. */
    public static final Set<DeferralMode> OF_RECEIVERS = Set.of(CALLBACK, POLL);
}
