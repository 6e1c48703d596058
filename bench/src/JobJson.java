import java.time.Duration;
import java.time.Instant;
import java.util.function.IntUnaryOperator;

/**
 * The bodies of requests that create jobs; the only place that knows their fields.
 *
 * @param keyOf the flow key of the job with a number
 * @param priority from 0, the most urgent, to 7
 */
record JobJson(String endpoint, IntUnaryOperator keyOf, int priority) {
    private static final IntUnaryOperator NO_KEY = n -> -1;
    private static final int USUAL_PRIORITY = 4;

    JobJson(String endpoint) {
        this(endpoint, NO_KEY, USUAL_PRIORITY);
    }

    JobJson keys(IntUnaryOperator keys) {
        return new JobJson(endpoint, keys, priority);
    }

    JobJson priority(int number) {
        return new JobJson(endpoint, keyOf, number);
    }

    String immediate(int n) {
        return fields(n, "IMMEDIATE") + "}";
    }

    String delayed(int n, Instant runAt) {
        return fields(n, "DELAYED") + ",\"run_at\":\"" + runAt + "\"}";
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

    private String fields(int n, String trigger) {
        return "{\"endpoint\":\"" + endpoint + "\",\"trigger\":\"" + trigger + "\",\"idempotency_key\":\"n-" + n
                + "\",\"input\":{\"n\":" + n + (keyOf == NO_KEY ? "" : ",\"key\":" + keyOf.applyAsInt(n)) + "}"
                + (priority == USUAL_PRIORITY ? "" : ",\"priority\":" + priority);
    }
}
