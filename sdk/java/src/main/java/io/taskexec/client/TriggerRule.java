package io.taskexec.client;

import java.util.Locale;

/** When a job runs that waits for others. */
public enum TriggerRule {
    /** All have succeeded; the default. */
    ALL_SUCCESS,
    /** All have ended. */
    ALL_DONE,
    /** One has succeeded. */
    ONE_SUCCESS,
    /** One has failed. */
    ONE_FAILED,
    /** All have succeeded or were skipped. */
    NONE_FAILED,
    /** All have failed. */
    ALL_FAILED,
    /** All have ended, also when the run was cancelled. */
    ALWAYS;

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
