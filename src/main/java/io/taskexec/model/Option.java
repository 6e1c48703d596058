package io.taskexec.model;

import java.util.Locale;

/**
 * A choice that is written in lower case: an option of an endpoint, the scope of a key, an action. Enums without it,
 * which are states, types and the policies of schedules, are written in upper case.
 */
public interface Option {
    /** The name of the constant. */
    String name();

    /** The value in the API. */
    default String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the value of any constant in the API. */
    static String word(Enum<?> constant) {
        return constant instanceof Option option ? option.word() : constant.name();
    }
}
