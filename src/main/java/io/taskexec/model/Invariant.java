package io.taskexec.model;

/**
 * Something that always holds of what is stored.
 *
 * @param name for machines, in lower case
 * @param sentence what holds, for people
 */
public record Invariant(String name, String sentence, Severity severity) {
    /** The severity of a violation. */
    public enum Severity {
        /** A fault of taskexec, or a change of the database by hand: something may be lost or done twice. */
        VIOLATION,
        /** taskexec works as documented, but an administrator should look at it. */
        WARNING
    }
}
