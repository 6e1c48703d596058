import java.time.Duration;
import java.time.Instant;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The bodies of requests that create jobs; the only place that knows their fields.
 *
 * @param keyOf the flow key of the job with a number
 * @param parentsOf for how many of the jobs before it in its batch the job with a number waits
 * @param priority from 0, the most urgent, to 7
 */
record JobJson(String endpoint, IntUnaryOperator keyOf, IntUnaryOperator parentsOf, int priority) {
    private static final IntUnaryOperator NO_KEY = n -> -1;
    private static final IntUnaryOperator NO_PARENTS = n -> -1;
    private static final int USUAL_PRIORITY = 4;

    JobJson(String endpoint) {
        this(endpoint, NO_KEY, NO_PARENTS, USUAL_PRIORITY);
    }

    JobJson keys(IntUnaryOperator keys) {
        return new JobJson(endpoint, keys, parentsOf, priority);
    }

    JobJson priority(int number) {
        return new JobJson(endpoint, keyOf, parentsOf, number);
    }

    JobJson parents(IntUnaryOperator parents) {
        return new JobJson(endpoint, keyOf, parents, priority);
    }

    String immediate(int n) {
        return fields(n, "IMMEDIATE") + "}";
    }

    /** A job with parents waits for these, and not for a time. */
    String delayed(int n, Instant runAt) {
        return parentsOf != NO_PARENTS && parentsOf.applyAsInt(n) > 0
                ? immediate(n)
                : fields(n, "DELAYED") + ",\"run_at\":\"" + runAt + "\"}";
    }

    /** A schedule that goes on. */
    String interval(int n, Duration every, Instant startsAt) {
        return fields(n, "INTERVAL") + ",\"every\":\"" + every + "\",\"starts_at\":\"" + startsAt + "\"}";
    }

    /** A schedule that ends. */
    String interval(int n, Duration every, Instant startsAt, Instant endsAt) {
        return fields(n, "INTERVAL") + ",\"every\":\"" + every + "\",\"starts_at\":\"" + startsAt + "\",\"ends_at\":\""
                + endsAt + "\"}";
    }

    /** A schedule that fires each minute, and ends. */
    String minutely(int n, Instant startsAt, Instant endsAt) {
        return fields(n, "CRON") + ",\"cron\":\"* * * * *\",\"timezone\":\"UTC\",\"starts_at\":\"" + startsAt
                + "\",\"ends_at\":\"" + endsAt + "\"}";
    }

    private String parents(int n) {
        if (parentsOf == NO_PARENTS) {
            return "";
        }
        int count = parentsOf.applyAsInt(n);
        return ",\"ref\":\"r" + n + "\""
                + (count == 0
                        ? ""
                        : IntStream.range(n - count, n)
                                .mapToObj(parent -> "\"r" + parent + "\"")
                                .collect(Collectors.joining(",", ",\"depends_on\":[", "]")));
    }

    private String fields(int n, String trigger) {
        return "{\"endpoint\":\"" + endpoint + "\",\"trigger\":\"" + trigger + "\",\"idempotency_key\":\"n-" + n
                + "\",\"input\":{\"n\":" + n + (keyOf == NO_KEY ? "" : ",\"key\":" + keyOf.applyAsInt(n)) + "}"
                + (priority == USUAL_PRIORITY ? "" : ",\"priority\":" + priority)
                + parents(n);
    }
}
