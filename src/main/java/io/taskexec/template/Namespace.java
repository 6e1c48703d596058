package io.taskexec.template;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The source of the value of a placeholder. */
public enum Namespace {
    /** The job's input. */
    INPUT,
    /** The values of the endpoint's config. */
    CONFIG,
    /** The secret store. */
    SECRET,
    /** How the jobs ended that the job has waited for, by their names. */
    PARENTS,
    /** The run of a workflow that the job belongs to: its input, and what its jobs have answered so far. */
    WORKFLOW,
    /** The job itself. */
    JOB;

    /** The words of all. */
    static final List<String> WORDS =
            Stream.of(values()).map(Namespace::toString).toList();

    /** Whether the values are another job's, another caller's or a receiver's, and not those of an operator. */
    public boolean isOfJob() {
        return switch (this) {
            case INPUT, PARENTS, WORKFLOW, JOB -> true;
            case CONFIG, SECRET -> false;
        };
    }

    /** The namespace that templates call {@code word}, or null. */
    static @Nullable Namespace named(String word) {
        for (var namespace : values()) {
            if (namespace.toString().equals(word)) {
                return namespace;
            }
        }
        return null;
    }

    /** The word for it in templates, such as {@code input}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
