import java.time.Instant;
import java.util.function.Supplier;

/** Says which of the expected arrivals a request is. */
interface Numbering {
    /** The number in the body, for jobs that come once. */
    Numbering BODY = (n, scheduledFor) -> n;

    /**
     * The number of an arrival, or -1 for one that is not expected.
     *
     * @param n the number in the body
     * @param scheduledFor reads {@code Taskexec-Scheduled-For}, which costs more than the number
     */
    int number(int n, Supplier<Instant> scheduledFor);
}
