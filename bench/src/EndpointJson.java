/**
 * The bodies of requests that create endpoints; the only place that knows their fields.
 *
 * @param flow the limits as JSON, empty for none
 */
record EndpointJson(String queue, int attempts, int retryMillis, String flow) {
    static final EndpointJson USUAL = new EndpointJson("default", 3, 200, "");

    EndpointJson queue(String name) {
        return new EndpointJson(name, attempts, retryMillis, flow);
    }

    /** Tries again so often, after so long each time. */
    EndpointJson attempts(int most, int delayMillis) {
        return new EndpointJson(queue, most, delayMillis, flow);
    }

    EndpointJson flow(String limits) {
        return new EndpointJson(queue, attempts, retryMillis, limits);
    }

    String registration(String name, String url) {
        return """
                {"name":"%s","queue":"%s","type":"HTTP",
                 "spec":{"url":"%s","method":"POST","body_template":{"n":"{{input.n}}"},"timeout_ms":5000},
                 "retry_policy":{"max_attempts":%d,"backoff":"fixed","initial_delay_ms":%d}%s}""".formatted(name, queue, url, attempts, retryMillis, flow.isEmpty() ? "" : ",\"flow\":" + flow);
    }
}
