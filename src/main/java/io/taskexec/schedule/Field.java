package io.taskexec.schedule;

import static io.taskexec.schedule.InvalidScheduleException.quoted;

/** The fields of an expression, in their order. */
enum Field {
    MINUTE("minute", 0, 59, 59, "*/15 and 10-20/5"),
    HOUR("hour", 0, 23, 23, "*/6 and 9-17/2"),
    /** Hashed values stay below 29, so that every month has them. */
    DAY_OF_MONTH("day of month", 1, 31, 28, "1-15/2, L, L-3, LW and 15W"),
    MONTH("month", 1, 12, 12, "*/3, JAN and APR-JUN"),
    /** 0 and 7 are Sunday. */
    DAY_OF_WEEK("day of week", 0, 7, 6, "MON, MON-FRI, MON#1 and FRIL");

    private final String title;
    private final int min;
    private final int max;
    private final int hashMax;
    private final String examples;

    Field(String title, int min, int max, int hashMax, String examples) {
        this.title = title;
        this.min = min;
        this.max = max;
        this.hashMax = hashMax;
        this.examples = examples;
    }

    int min() {
        return min;
    }

    int max() {
        return max;
    }

    /** The largest value that {@code H} without a range becomes. */
    int hashMax() {
        return hashMax;
    }

    boolean has(int value) {
        return min <= value && value <= max;
    }

    /** That {@code text} is not what this field takes. */
    InvalidScheduleException refusal(String text) {
        return new InvalidScheduleException(
                "The " + title + " " + quoted(text) + " is not understood: this field takes " + min + "-" + max
                        + ", *, lists, ranges and steps, as in " + examples);
    }

    /** That {@code text} is wrong for a reason of its own. */
    InvalidScheduleException refusal(String text, String reason) {
        return new InvalidScheduleException("The " + title + " " + quoted(text) + " " + reason);
    }
}
