package io.taskexec.dispatch.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.exchange.SharedResources;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to Redis. The client and its threads are made for the first of them. Nothing is opened again by
 * itself, and no command waits for a connection or is sent twice: that is for the attempts of an execution.
 */
public final class RedisConnector
        implements SharedResources.Source<RedisTarget, StatefulRedisConnection<String, String>> {
    /** The time to connect; a TLS handshake and a login may take a second more. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration LOGIN_TIMEOUT = CONNECT_TIMEOUT.plusSeconds(1);

    private static final int THREADS = 2;

    /** Commands under way on one connection: as many as a process may run executions. */
    private static final int MOST_COMMANDS = 10_000;

    /**
     * The message of the client when a connection was closed again before it looked, as when a login is refused at
     * once and its thread had to wait for a processor: the reason is lost then.
     */
    private static final String REASON_LOST = "RedisHandshakeHandler not registered";

    private static final int MOST_TRIES = 3;

    private final Vertx vertx;
    private final EgressGuard guard;
    private final @Nullable TrustManagerFactory trust;
    private @Nullable RedisClient client;

    /** @param trust in which authorities; null for those of the system */
    public RedisConnector(Vertx vertx, EgressGuard guard, @Nullable TrustManagerFactory trust) {
        this.vertx = vertx;
        this.guard = guard;
        this.trust = trust;
    }

    /** A new connection to {@code target}. Ends, well or not, within a few seconds. */
    @Override
    public CompletionStage<StatefulRedisConnection<String, String>> open(RedisTarget target, Runnable broken) {
        return open(target, MOST_TRIES).thenApply(connection -> watched(connection, broken));
    }

    /** A connection that the server closes while it is not used gives up its place. */
    private static StatefulRedisConnection<String, String> watched(
            StatefulRedisConnection<String, String> connection, Runnable broken) {
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
                broken.run();
            }
        });
        if (!connection.isOpen()) {
            broken.run();
        }
        return connection;
    }

    @Override
    public boolean isUsable(StatefulRedisConnection<String, String> connection) {
        return connection.isOpen();
    }

    /** Its place is free at once: it takes no thread and little memory until it is closed. */
    @Override
    public CompletionStage<Void> close(StatefulRedisConnection<String, String> connection) {
        var _ = connection.closeAsync();
        return CompletableFuture.completedFuture(null);
    }

    private CompletionStage<StatefulRedisConnection<String, String>> open(RedisTarget target, int tries) {
        // Making the client loads a library, which an event loop should not wait for.
        return vertx.executeBlocking(() -> client().connectAsync(StringCodec.UTF8, uri(target)), false)
                .toCompletionStage()
                .thenCompose(connecting -> connecting)
                .exceptionallyCompose(failure -> tries > 1 && hasLostReason(failure)
                        ? open(target, tries - 1)
                        : CompletableFuture.failedStage(failure));
    }

    private static boolean hasLostReason(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (REASON_LOST.equals(cause.getMessage())) {
                return true;
            }
        }
        return false;
    }

    private synchronized RedisClient client() {
        if (client == null) {
            client = RedisClient.create(resources());
            client.setOptions(options());
        }
        return client;
    }

    private ClientResources resources() {
        return DefaultClientResources.builder()
                .ioThreadPoolSize(THREADS)
                .computationThreadPoolSize(THREADS)
                .addressResolverGroup(new GuardedAddresses(guard, CONNECT_TIMEOUT))
                .nettyCustomizer(NoPushes.onEach())
                // It would start a thread, since what it needs comes with another library.
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .build();
    }

    private ClientOptions options() {
        var tls = SslOptions.builder().handshakeTimeout(CONNECT_TIMEOUT);
        return ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(MOST_COMMANDS)
                .decodeBufferPolicy(new ShortAnswers())
                .protocolVersion(ProtocolVersion.RESP2)
                // Each delivery has a timer of its own.
                .timeoutOptions(TimeoutOptions.create())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(CONNECT_TIMEOUT)
                        .keepAlive(true)
                        .build())
                .sslOptions((trust == null ? tls : tls.trustManager(trust)).build())
                .build();
    }

    private static RedisURI uri(RedisTarget target) {
        var uri = RedisURI.builder()
                .withHost(target.host())
                .withPort(target.port())
                .withSsl(target.tls())
                .withVerifyPeer(SslVerifyMode.FULL)
                .withDatabase(target.database())
                .withClientName("taskexec")
                .withTimeout(LOGIN_TIMEOUT);
        var password = Objects.requireNonNullElse(target.password(), "").toCharArray();
        if (target.user() != null) {
            uri = uri.withAuthentication(target.user(), password);
        } else if (target.password() != null) {
            uri = uri.withPassword(password);
        }
        return uri.build();
    }

    /** Closes what is open and ends the threads. */
    synchronized void close() {
        if (client != null) {
            var resources = client.getResources();
            var _ = client.shutdownAsync().thenRun(() -> {
                var _ = resources.shutdown();
            });
            client = null;
        }
    }
}
