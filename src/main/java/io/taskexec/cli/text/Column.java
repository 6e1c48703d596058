package io.taskexec.cli.text;

/**
 * A column of a table.
 *
 * @param kind what may be done to its texts when they do not fit
 */
public record Column(String title, Kind kind) {
    /** What a column holds. */
    public enum Kind {
        /** Never shortened, since somebody will copy it. */
        ID,
        /** Shortened at its end. */
        TEXT,
        /** Painted. */
        STATUS,
        /** Aligned to the right. */
        NUMBER
    }
}
