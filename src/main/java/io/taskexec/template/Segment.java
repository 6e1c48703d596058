package io.taskexec.template;

/** A part of a parsed template. */
sealed interface Segment {
    /** Text that stands for itself. */
    record Literal(String text) implements Segment {}

    /** Stands for the value of {@code reference}. */
    record Placeholder(Reference reference) implements Segment {}
}
