package io.taskexec.dispatch.http;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.HeaderRules;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.TrustOptions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP calls, with the clients and rules that all of them share.
 *
 * @param clients for calls that show no TLS identity of their own
 * @param identities for those that do
 * @param proxy null when every target is called directly
 */
public record HttpTransport(
        Vertx vertx,
        LoopClients clients,
        TlsClients identities,
        EgressGuard guard,
        ReusedConnections reused,
        ConnectionProbe probe,
        @Nullable HttpProxy proxy) {
    static final int CONNECT_TIMEOUT_MS = 5_000;

    /** The most calls that share a connection with HTTP/2, if the receiver takes as many. */
    static final int STREAMS_PER_CONNECTION = 100;

    private static final int KEEP_ALIVE_SECONDS = 30;
    private static final int MAX_HEADER_BYTES = 64 * 1024;

    /** By how much a place in the queue for a connection outlives the call, whose own timer is to speak first. */
    private static final int QUEUE_GRACE_MS = 100;

    public static HttpTransport create(Vertx vertx, EgressGuard guard, HttpConfig config) {
        var roots = TrustRoots.of(config);
        var options = new HttpClientOptions();
        roots.ifPresent(more -> options.setTrustOptions(TrustOptions.wrap(more.trust())));
        return create(vertx, guard, config, options, roots.orElse(TrustRoots.NONE));
    }

    /** With {@code options} as the base, for what only tests need, such as a certificate authority of their own. */
    public static HttpTransport create(
            Vertx vertx, EgressGuard guard, HttpConfig config, HttpClientOptions options, TrustRoots roots) {
        var connections = config.maxConnectionsPerHost();
        return new HttpTransport(
                vertx,
                new LoopClients(vertx, client(options), connections),
                new TlsClients(vertx, client(options), roots, connections),
                guard,
                new ReusedConnections(),
                new ConnectionProbe(),
                HttpProxy.of(config).orElse(null));
    }

    /** Neither redirects nor decompression, which are Vert.x's defaults: both would go around our limits. */
    private static HttpClientOptions client(HttpClientOptions options) {
        return options.setProtocolVersion(HttpVersion.HTTP_1_1)
                // With TLS alone, where the receiver chooses.
                .setUseAlpn(true)
                .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
                .setHttp2MultiplexingLimit(STREAMS_PER_CONNECTION)
                .setHttp2KeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setInitialSettings(new Http2Settings().setPushEnabled(false).setMaxHeaderListSize(MAX_HEADER_BYTES))
                .setVerifyHost(true)
                .setDecompressionSupported(false)
                .setConnectTimeout(CONNECT_TIMEOUT_MS)
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setMaxHeaderSize(MAX_HEADER_BYTES);
    }

    /**
     * Sends {@code call} with {@code headers} in place of its own and waits for the answer, within the call's timeout.
     * Throws {@link InvalidCallException}; whatever happens else is an outcome.
     */
    Uni<Outcome> send(LoopClients by, HttpCall call, Map<String, String> headers) {
        var target = HttpTarget.of(call.uri());
        var options = new RequestOptions()
                .setMethod(method(call.method()))
                .setSsl(target.tls())
                .setHost(target.hostInUrl())
                .setPort(target.port())
                .setURI(target.path())
                .setConnectTimeout(patience(call, target))
                .setProxyOptions(proxy == null ? null : proxy.wayTo(target));
        return Uni.createFrom().emitter(emitter -> {
            try {
                new HttpExchange(this, by.here(), target, options, call, headers, emitter).start(call.timeout());
            } catch (RuntimeException | Error e) {
                emitter.complete(CallFailure.ofException(e));
            }
        });
    }

    /** In the queue for a connection. */
    private static long patience(HttpCall call, HttpTarget target) {
        var timeout = call.timeout().toMillis();
        // A stream of HTTP/2 that is granted when the call is over has to be given back at the expense of its
        // connection.
        return target.tls() ? Math.max(1, timeout - 1) : timeout + QUEUE_GRACE_MS;
    }

    private static HttpMethod method(String name) {
        if (name.equals(HttpMethod.POST.name())) {
            // Nearly all are.
            return HttpMethod.POST;
        }
        // CONNECT would make a tunnel through the receiver of whatever comes after it.
        if (!HeaderRules.isToken(name) || name.equals(HttpMethod.CONNECT.name())) {
            throw new InvalidCallException("The method is not one that can be sent");
        }
        return HttpMethod.valueOf(name);
    }
}
