import java.time.Duration;
import java.time.Instant;

/**
 * The bodies of requests that create jobs; the only place that knows their fields.
 *
 * @param keys flow keys that they have by turns, 0 for none
 */
record JobJson(String endpoint, int keys) {
    JobJson(String endpoint) {
        this(endpoint, 0);
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
                + "\",\"input\":{\"n\":" + n + (keys == 0 ? "" : ",\"key\":" + n % keys) + "}";
    }
}
