package io.taskexec.dispatch.http;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.TlsIdentity;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Clients that show a TLS identity of their own. Each is kept while it is used and for some time after that, as many as
 * {@value #MOST}; what is used is never closed.
 */
final class TlsClients {
    static final int MOST = 64;

    private static final Duration IDLE = Duration.ofMinutes(5);
    private static final long SWEEP_MS = 60_000;

    private final Vertx vertx;
    private final HttpClientOptions options;
    private final TrustRoots roots;
    private final int connectionsPerTarget;
    private final Map<UUID, Held> held = new HashMap<>();
    private boolean sweeping;

    TlsClients(Vertx vertx, HttpClientOptions options, TrustRoots roots, int connectionsPerTarget) {
        this.vertx = vertx;
        this.options = options;
        this.roots = roots;
        this.connectionsPerTarget = connectionsPerTarget;
    }

    private static final class Held {
        final Future<LoopClients> clients;
        int users;
        long idleSince;

        Held(Future<LoopClients> clients) {
            this.clients = clients;
        }
    }

    /** What has the same key shows the same identity. */
    static UUID key(TlsIdentity identity) {
        return Fingerprint.of(identity.clientCertificate(), identity.clientKey(), identity.caCertificates());
    }

    /**
     * Makes calls with the clients of {@code identity}, which stay open until they end. Fails with {@link
     * InvalidCallException} when the identity cannot be used, and for now when too many others are in use.
     */
    Uni<Outcome> with(TlsIdentity identity, Function<LoopClients, Uni<Outcome>> calls) {
        return Uni.createFrom().deferred(() -> {
            var mine = hold(identity);
            if (mine == null) {
                return Uni.createFrom().item(CallFailure.tooManyIdentities());
            }
            return Uni.createFrom()
                    .completionStage(() -> mine.clients.toCompletionStage())
                    .chain(calls::apply)
                    .onTermination()
                    .invoke(() -> release(mine));
        });
    }

    private synchronized @Nullable Held hold(TlsIdentity identity) {
        var key = key(identity);
        var mine = held.get(key);
        if (mine == null) {
            if (held.size() >= MOST && !closeLongestIdle()) {
                return null;
            }
            if (!sweeping) {
                sweeping = true;
                var _ = vertx.setTimer(SWEEP_MS, _ -> sweep());
            }
            mine = new Held(open(identity));
            held.put(key, mine);
        }
        mine.users++;
        return mine;
    }

    private synchronized void release(Held mine) {
        mine.users--;
        mine.idleSince = System.nanoTime();
        if (mine.clients.failed()) {
            held.values().remove(mine);
        }
    }

    private boolean closeLongestIdle() {
        var now = System.nanoTime();
        var longest = held.entrySet().stream()
                .filter(entry -> entry.getValue().users == 0)
                .max(Comparator.comparingLong(entry -> now - entry.getValue().idleSince));
        longest.ifPresent(entry -> close(entry.getKey(), entry.getValue()));
        return longest.isPresent();
    }

    private synchronized void sweep() {
        var now = System.nanoTime();
        Map.copyOf(held).forEach((key, each) -> {
            if (each.users == 0 && now - each.idleSince > IDLE.toNanos()) {
                close(key, each);
            }
        });
        sweeping = !held.isEmpty();
        if (sweeping) {
            var _ = vertx.setTimer(SWEEP_MS, _ -> sweep());
        }
    }

    private void close(UUID key, Held each) {
        held.remove(key);
        each.clients.onSuccess(LoopClients::close);
    }

    /** Not on an event loop: keys are decrypted and encrypted on the way. */
    private Future<LoopClients> open(TlsIdentity identity) {
        return vertx.executeBlocking(() -> new LoopClients(vertx, showing(identity), connectionsPerTarget), false)
                .map(Objects::requireNonNull);
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
