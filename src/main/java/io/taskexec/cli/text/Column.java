package io.taskexec.cli.text;

/**
 * A column of a table.
 *
 * @param kind the alignment, and whether texts may be shortened
 */
public record Column(String title, Kind kind) {
    /** Kinds of columns. */
    public enum Kind {
        /** Never shortened, so that it can be copied. */
        ID,
        /** Shortened at the end. */
        TEXT,
        /** Coloured. */
        STATUS,
        /** Aligned to the right. */
        NUMBER
    }
}
