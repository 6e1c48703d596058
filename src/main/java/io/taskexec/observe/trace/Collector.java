package io.taskexec.observe.trace;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import java.time.Duration;
import java.util.Set;

/** Sends spans to the collector. */
final class Collector {
    private static final int CONNECT_TIMEOUT_MS = 2_000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int OK = 200;
    private static final int REDIRECTION = 300;

    /** Those after which OTLP has the same sent again. */
    private static final Set<Integer> FOR_NOW = Set.of(429, 502, 503, 504);

    private final Target target;
    private final HttpClient client;

    Collector(Vertx vertx, Target target) {
        this.target = target;
        var options = new HttpClientOptions()
                .setConnectTimeout(CONNECT_TIMEOUT_MS)
                .setSsl(target.tls())
                .setVerifyHost(true)
                .setMaxPoolSize(1);
        if (target.certificate() != null) {
            options.setTrustOptions(new PemTrustOptions().addCertPath(target.certificate()));
        }
        this.client = vertx.createHttpClient(options);
    }

    /** Why spans were not taken. */
    static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        private final boolean forNow;

        private Refusal(int status) {
            // Without a stack, which would say nothing.
            super("it answered " + status, null, false, false);
            this.forNow = FOR_NOW.contains(status);
        }

        /** Whether the same may be taken later. */
        boolean isForNow() {
            return forNow;
        }
    }

    /** Gives what it answered; fails with a {@link Refusal}, or when it cannot be reached. */
    Uni<String> send(String json) {
        var options = new RequestOptions()
                .setAbsoluteURI(target.uri().toString())
                .setMethod(HttpMethod.POST)
                .setTimeout(PATIENCE.toMillis())
                .putHeader("Content-Type", "application/json");
        target.headers().forEach(options::putHeader);
        return Uni.createFrom()
                .completionStage(() -> client.request(options)
                        .compose(request -> request.send(json))
                        .compose(Collector::read)
                        .toCompletionStage())
                .ifNoItem()
                .after(PATIENCE)
                .fail();
    }

    private static io.vertx.core.Future<String> read(HttpClientResponse response) {
        return response.body()
                .compose(body -> response.statusCode() >= OK && response.statusCode() < REDIRECTION
                        ? io.vertx.core.Future.succeededFuture(body.toString())
                        : io.vertx.core.Future.failedFuture(new Refusal(response.statusCode())));
    }

    void close() {
        var _ = client.close();
    }
}
