package io.taskexec.dispatch.http;

import java.util.List;
import java.util.Optional;

/** Settings of outgoing HTTP in a test. */
public record TestHttp(
        String userAgent,
        Optional<String> proxy,
        Optional<List<String>> noProxy,
        Optional<String> caFile,
        int maxConnectionsPerHost)
        implements HttpConfig {
    /** As in production. */
    public static final TestHttp DEFAULT =
            new TestHttp("taskexec/test", Optional.empty(), Optional.empty(), Optional.empty(), 256);

    TestHttp through(String url, String... exclusions) {
        return new TestHttp(
                userAgent, Optional.of(url), Optional.of(List.of(exclusions)), caFile, maxConnectionsPerHost);
    }

    TestHttp trusting(String file) {
        return new TestHttp(userAgent, proxy, noProxy, Optional.of(file), maxConnectionsPerHost);
    }

    TestHttp with(int connections) {
        return new TestHttp(userAgent, proxy, noProxy, caFile, connections);
    }
}
