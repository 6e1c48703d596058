package io.taskexec.schedule;

/** One member of the list that a field is. */
sealed interface Element {
    /** Values of the field as bits; in the day of week, Sunday is bit 0. */
    record Values(long bits) implements Element {}

    /** So many days before the last day of the month. */
    record BeforeLast(int days) implements Element {}

    /** The last day of the month that is not a Saturday or Sunday. */
    record LastWorkday() implements Element {}

    /** The day from Monday to Friday that is nearest to {@code day} and in the same month. */
    record NearestWorkday(int day) implements Element {}

    /** The last Monday, say, of the month; Sunday is 0. */
    record LastOf(int weekday) implements Element {}

    /** The second Monday, say, of the month; Sunday is 0. */
    record NthOf(int weekday, int nth) implements Element {}
}
