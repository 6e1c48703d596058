/**
 * The bodies of requests that create endpoints; the only place that knows their fields.
 *
 * @param flow the limits as JSON, empty for none
 * @param completion the terms of deferrals as JSON, empty for none
 */
record EndpointJson(String queue, int attempts, int retryMillis, String flow, String completion) {
    static final EndpointJson USUAL = new EndpointJson("default", 3, 200, "", "");

    EndpointJson queue(String name) {
        return new EndpointJson(name, attempts, retryMillis, flow, completion);
    }

    /** Tries again so often, after so long each time. */
    EndpointJson attempts(int most, int delayMillis) {
        return new EndpointJson(queue, most, delayMillis, flow, completion);
    }

    EndpointJson flow(String limits) {
        return new EndpointJson(queue, attempts, retryMillis, limits, completion);
    }

    /** With receivers that say later how a delivery ends. */
    EndpointJson completion(String terms) {
        return new EndpointJson(queue, attempts, retryMillis, flow, terms);
    }

    String registration(String name, String url) {
        return """
                {"name":"%s","queue":"%s","type":"HTTP",
                 "spec":{"url":"%s","method":"POST","body_template":{"n":"{{input.n}}"},"timeout_ms":5000},
                 "retry_policy":{"max_attempts":%d,"backoff":"fixed","initial_delay_ms":%d}%s%s}""".formatted(
                        name,
                        queue,
                        url,
                        attempts,
                        retryMillis,
                        flow.isEmpty() ? "" : ",\"flow\":" + flow,
                        completion.isEmpty() ? "" : ",\"completion\":" + completion);
    }
}
