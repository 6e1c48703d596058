package io.taskexec.model.dependency;

import io.taskexec.model.Option;
import org.jspecify.annotations.Nullable;

/**
 * Decides by the ends of its parents when a job runs. One whose rule cannot hold any more is skipped. A parent that was
 * cancelled or has expired has failed; one that was skipped has neither failed nor succeeded.
 */
public enum TriggerRule implements Option {
    /** When all have succeeded. */
    ALL_SUCCESS(1),
    /** When all have ended. */
    ALL_DONE(2),
    /** As soon as one has succeeded. */
    ONE_SUCCESS(3),
    /** As soon as one has failed. */
    ONE_FAILED(4),
    /** When all have ended and none has failed. */
    NONE_FAILED(5),
    /** When all have failed. */
    ALL_FAILED(6),
    /** When all have ended, also in a workflow that fails fast or is being cancelled. */
    ALWAYS(7);

    private final int number;

    TriggerRule(int number) {
        this.number = number;
    }

    /** The number in the store, from 1 on. */
    public int number() {
        return number;
    }

    /** Whether it is decided when all parents have ended, and not before. */
    public boolean waitsForAll() {
        return this == ALL_DONE || this == ALWAYS;
    }

    /** The rule of this word, null for null. */
    public static @Nullable TriggerRule ofWord(@Nullable String word) {
        if (word == null) {
            return null;
        }
        for (var rule : values()) {
            if (rule.word().equals(word)) {
                return rule;
            }
        }
        throw new IllegalArgumentException("no trigger rule: " + word);
    }
}
