package io.taskexec.store.sql;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnectOptions;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Makes the pool of connections, so that none of them can hang. The server ends a statement that takes too long. One
 * that does not answer at all, because it is frozen or cut off, cannot; there the connection itself ends when nothing
 * has come through it for a little longer, and is not used again. The server ends a transaction of a process that is as
 * silent, such as one whose machine has stopped: all others would wait for the rows that it has locked.
 */
@Singleton
public final class Connections implements PgPoolCreator {
    /** What the server's own end of a statement may take to arrive. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);
    private static final int MOST_WAITING = 10_000;

    /** Every statement is ours and there are few, so that each may stay prepared, however long it is. */
    public static final int LONGEST_PREPARED = 16_384;

    /** The property of the program that names the file with the certificates of authorities. */
    public static final String ROOT_CERTIFICATE = "taskexec.database.root-certificate";

    private final Duration statement;
    private final Optional<String> rootCertificate;
    private List<PgConnectOptions> servers = List.of();

    Connections(DatabaseConfig config, @ConfigProperty(name = ROOT_CERTIFICATE) Optional<String> rootCertificate) {
        this.statement = config.dbStatementTimeout();
        this.rootCertificate = rootCertificate;
    }

    @Override
    public Pool create(Input input) {
        servers = input.pgConnectOptionsList();
        servers.forEach(this::limit);
        servers.forEach(this::trust);
        // Waiting for a connection has no limit of its own: the caller has one for all, and the client's timer for it
        // goes on after a connection was refused, and then fails what has long failed, with a stack trace in the log.
        var pool = input.poolOptions().setMaxWaitQueueSize(MOST_WAITING).setConnectionTimeout(0);
        return PgBuilder.pool()
                .with(pool)
                .connectingTo(List.<SqlConnectOptions>copyOf(servers))
                .using(input.vertx())
                .build();
    }

    /** For a connection beside the pool, which hears nothing for {@code quiet} at most while it is well. */
    public PgConnectOptions dedicated(Duration quiet) {
        return new PgConnectOptions(servers.getFirst())
                .setIdleTimeout((int) quiet.plus(statement).plus(GRACE).toMillis());
    }

    /** Checks of the server's certificate what the driver for migrations checks in the same mode. */
    private void trust(PgConnectOptions server) {
        switch (server.getSslMode()) {
            case DISABLE -> {}
            case ALLOW, PREFER, REQUIRE -> server.setTrustAll(true);
            case VERIFY_CA, VERIFY_FULL -> {
                server.setHostnameVerificationAlgorithm(server.getSslMode() == SslMode.VERIFY_FULL ? "HTTPS" : "");
                rootCertificate.ifPresent(file -> server.setPemTrustOptions(new PemTrustOptions().addCertPath(file)));
            }
        }
    }

    private void limit(PgConnectOptions server) {
        var connect = statement.compareTo(LONGEST_CONNECT) < 0 ? statement : LONGEST_CONNECT;
        var silence = statement.plus(GRACE);
        // Of a URL with options the client takes these in place of its own, such as the encoding.
        PgConnectOptions.DEFAULT_PROPERTIES.forEach((name, value) -> {
            if (!server.getProperties().containsKey(name)) {
                server.addProperty(name, value);
            }
        });
        server.addProperty("statement_timeout", Long.toString(statement.toMillis()))
                .addProperty("idle_in_transaction_session_timeout", Long.toString(silence.toMillis()))
                .setPreparedStatementCacheSqlLimit(LONGEST_PREPARED);
        server.setConnectTimeout((int) connect.toMillis())
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) silence.toMillis());
    }
}
