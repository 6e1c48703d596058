package io.taskexec.template;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The source of the value of a placeholder. */
public enum Namespace {
    /** The job's input. */
    INPUT,
    /** The values of the endpoint's config. */
    CONFIG,
    /** The secret store. */
    SECRET;

    /** The namespace that templates call {@code word}, or null. */
    static @Nullable Namespace named(String word) {
        for (var namespace : values()) {
            if (namespace.toString().equals(word)) {
                return namespace;
            }
        }
        return null;
    }

    /** The word for it in templates: {@code input}, {@code config} or {@code secret}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
