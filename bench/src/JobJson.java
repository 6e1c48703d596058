import java.time.Instant;

/** The bodies of requests that create jobs; the only place that knows their fields. */
record JobJson(String endpoint) {
    String immediate(int n) {
        return fields(n, "IMMEDIATE") + "}";
    }

    String delayed(int n, Instant runAt) {
        return fields(n, "DELAYED") + ",\"run_at\":\"" + runAt + "\"}";
    }

    private String fields(int n, String trigger) {
        return "{\"endpoint\":\"" + endpoint + "\",\"trigger\":\"" + trigger + "\",\"idempotency_key\":\"n-" + n
                + "\",\"input\":{\"n\":" + n + "}";
    }
}
