package io.taskexec.model.endpoint;

import io.taskexec.model.Option;
import java.util.Locale;

/** Decides about an execution whose worker was lost while it may have been delivering. */
public enum OnWorkerLost implements Option {
    /** It is delivered again: at least once. */
    RETRY,
    /** It fails: at most once. */
    FAIL;

    /** Reads back what {@link #word} wrote. */
    public static OnWorkerLost of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
