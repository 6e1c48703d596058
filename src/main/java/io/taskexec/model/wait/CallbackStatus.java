package io.taskexec.model.wait;

import io.taskexec.model.Option;

/** The kind of a callback. */
public enum CallbackStatus implements Option {
    SUCCEEDED,
    FAILED,
    /** The work goes on, and this is how far it has come. */
    PROGRESS,
    /** The work goes on. */
    HEARTBEAT
}
