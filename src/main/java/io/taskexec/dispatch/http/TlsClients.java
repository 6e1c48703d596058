package io.taskexec.dispatch.http;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.exchange.SharedResources;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.TlsIdentity;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Clients that show a TLS identity of their own, which all calls with that identity share. */
final class TlsClients {
    static final int MOST = 64;

    private static final Duration IDLE = Duration.ofMinutes(5);

    private final Vertx vertx;
    private final HttpClientOptions options;
    private final TrustRoots roots;
    private final int connectionsPerTarget;
    private final SharedResources<TlsIdentity, LoopClients> clients;

    TlsClients(Vertx vertx, HttpClientOptions options, TrustRoots roots, int connectionsPerTarget) {
        this.vertx = vertx;
        this.options = options;
        this.roots = roots;
        this.connectionsPerTarget = connectionsPerTarget;
        this.clients = new SharedResources<>(vertx, new Source(), MOST, IDLE, System::nanoTime);
    }

    private final class Source implements SharedResources.Source<TlsIdentity, LoopClients> {
        /** Not on an event loop: keys are decrypted and encrypted on the way. */
        @Override
        public CompletionStage<LoopClients> open(TlsIdentity identity, Runnable broken) {
            return vertx.executeBlocking(() -> new LoopClients(vertx, showing(identity), connectionsPerTarget), false)
                    .<LoopClients>map(Objects::requireNonNull)
                    .toCompletionStage();
        }

        @Override
        public CompletionStage<Void> close(LoopClients unused) {
            unused.close();
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Two identities with the same key are the same. */
    static UUID key(TlsIdentity identity) {
        return Fingerprint.of(identity.clientCertificate(), identity.clientKey(), identity.caCertificates());
    }

    /**
     * Makes calls with the clients of {@code identity}, which stay open until the calls end. Fails with
     * {@link InvalidCallException} when the identity cannot be used. When too many others are in use, the outcome is
     * retryable.
     */
    Uni<Outcome> with(TlsIdentity identity, Function<LoopClients, Uni<Outcome>> calls) {
        return Uni.createFrom().deferred(() -> {
            var mine = clients.acquire(identity);
            if (mine == null) {
                return Uni.createFrom().item(CallFailure.tooManyIdentities());
            }
            return Uni.createFrom()
                    .completionStage(mine::opening)
                    .chain(calls::apply)
                    .onTermination()
                    .invoke(() -> clients.release(mine));
        });
    }

    /** Closes all clients. */
    void close() {
        clients.close();
    }

    private HttpClientOptions showing(TlsIdentity identity) {
        var own = new HttpClientOptions(options);
        var more = identity.caCertificates();
        if (more != null) {
            own.setTrustOptions(TrustOptions.wrap(trusting(more).trust()));
        }
        var certificate = identity.clientCertificate();
        var key = identity.clientKey();
        return certificate == null || key == null ? own : own.setKeyCertOptions(pair(certificate, key));
    }

    private TrustRoots trusting(String more) {
        try {
            return roots.and(more);
        } catch (IllegalArgumentException e) {
            throw new InvalidCallException("tls.ca_certificates holds " + e.getMessage());
        }
    }

    private KeyCertOptions pair(String certificate, String key) {
        var pem =
                new PemKeyCertOptions().addCertValue(Buffer.buffer(certificate)).addKeyValue(Buffer.buffer(key));
        try {
            return KeyCertOptions.wrap(pem.getKeyManagerFactory(vertx));
        } catch (Exception _) {
            // Its message could repeat what it could not read.
            throw new InvalidCallException(
                    "tls.client_certificate and tls.client_key are no pair in PEM that can be used");
        }
    }
}
