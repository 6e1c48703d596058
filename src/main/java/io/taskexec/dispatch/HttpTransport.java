package io.taskexec.dispatch;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;

/** What all HTTP calls share. */
record HttpTransport(Vertx vertx, LoopClients clients, EgressGuard guard, KeptConnections kept) {
    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final int KEEP_ALIVE_SECONDS = 30;
    private static final int MAX_HEADER_BYTES = 64 * 1024;

    static HttpTransport create(Vertx vertx, EgressGuard guard) {
        return create(vertx, guard, new HttpClientOptions());
    }

    /** With {@code options} as the base, for what only tests need, such as a certificate authority of their own. */
    static HttpTransport create(Vertx vertx, EgressGuard guard, HttpClientOptions options) {
        return new HttpTransport(vertx, new LoopClients(vertx, client(options)), guard, new KeptConnections());
    }

    /** Neither redirects nor decompression, which are Vert.x's defaults: both would go around our limits. */
    private static HttpClientOptions client(HttpClientOptions options) {
        return options.setProtocolVersion(HttpVersion.HTTP_1_1)
                .setUseAlpn(false)
                .setVerifyHost(true)
                .setDecompressionSupported(false)
                .setConnectTimeout(CONNECT_TIMEOUT_MS)
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setMaxHeaderSize(MAX_HEADER_BYTES);
    }
}
