package io.taskexec.model.endpoint;

import io.taskexec.model.Option;

/** Decides what a failed job means for the others of its workflow. */
public enum FailurePolicy implements Option {
    /** Those that do not depend on it go on. */
    CONTINUE,
    /**
     * What waits is cancelled, for a retry, a callback or a decision too, but for jobs with the trigger rule {@code
     * always}.
     */
    FAIL_FAST
}
