package io.taskexec.store.wakeup;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Connections;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.DatabaseConfig;
import io.taskexec.store.sql.Dialect;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.pgclient.PgNotification;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Carries the {@link DueSignal} and {@link ProcessBroadcast} from process to process, by LISTEN and NOTIFY on one
 * connection of its own. Only a shortcut, too: where it does not work, polling is what finds work.
 */
@Singleton
public final class Wakeups {
    private static final Logger LOG = Logger.getLogger(Wakeups.class);
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(5);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
    private static final Duration NEVER = Duration.ofDays(365);

    /** feature_not_supported and syntax_error, as of a database that is compatible otherwise. */
    private static final Set<String> UNKNOWN = Set.of("0A000", "42601");

    private final Vertx vertx;
    private final Supplier<PgConnectOptions> server;
    private final boolean enabled;
    private final DueSignal signal;
    private final ProcessBroadcast broadcast;

    /** A channel that only this process listens to: what it says there must come back. */
    private final String echo = "taskexec_echo_"
            + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());

    private volatile @Nullable PgConnection connection;
    private volatile boolean heard;

    @Inject
    Wakeups(Vertx vertx, Connections connections, DatabaseConfig config, DueSignal signal, ProcessBroadcast broadcast) {
        this(
                vertx,
                () -> connections.dedicated(BETWEEN_CHECKS),
                config.wakeupsEnabled().isOn(),
                signal,
                broadcast);
    }

    Wakeups(
            Vertx vertx,
            Supplier<PgConnectOptions> server,
            boolean enabled,
            DueSignal signal,
            ProcessBroadcast broadcast) {
        this.vertx = vertx;
        this.server = server;
        this.enabled = enabled;
        this.signal = signal;
        this.broadcast = broadcast;
        if (enabled) {
            var sender = new WakeupSender(vertx, () -> connection);
            signal.onRaise(sender::tell);
            broadcast.onTell(sender::tell);
        }
    }

    /**
     * Connects, or makes sure that the connection still carries what is said; returns when to look again. A pooler
     * between us and the server may take a LISTEN and never deliver anything.
     */
    public Uni<Duration> keepListening() {
        if (!enabled) {
            return Uni.createFrom().item(NEVER);
        }
        var open = connection;
        var work = open == null ? connect() : check(open);
        return work.ifNoItem()
                .after(BETWEEN_CHECKS)
                .fail()
                .replaceWith(BETWEEN_CHECKS)
                .onFailure()
                .recoverWithItem(this::lost);
    }

    /** Ends the connection, while there is still a client to end it. */
    public Uni<Void> close() {
        var open = connection;
        connection = null;
        return open == null
                ? Uni.createFrom().voidItem()
                : uni(open.close())
                        .ifNoItem()
                        .after(BETWEEN_TRIES)
                        .fail()
                        .onFailure()
                        .recoverWithNull();
    }

    private Uni<Void> connect() {
        return uni(PgConnection.connect(vertx, server.get())
                .compose(open -> {
                    open.notificationHandler(notification -> received(open, notification));
                    open.closeHandler(_ -> drop(open));
                    open.exceptionHandler(Database::logConnectionError);
                    return open.query(Dialect.VERSION)
                            .execute()
                            .compose(rows -> listen(open, rows.iterator().next().getString(0)))
                            .onSuccess(_ -> adopt(open))
                            .onFailure(_ -> open.close())
                            .compose(_ -> say(open, echo));
                })
                // What became due while no process listened, here or elsewhere.
                .onSuccess(_ -> signal.raiseFor(DueSignal.ANYTHING)));
    }

    // A signal is worth nothing after a crash, so that none waits for the disk.
    private Future<RowSet<Row>> listen(PgConnection open, String version) {
        return Dialect.of(version).wakes()
                ? open.query("SET synchronous_commit = off; LISTEN " + WakeupSender.CHANNEL + "; LISTEN "
                                + WakeupSender.NOTES + "; LISTEN " + echo)
                        .execute()
                : Future.failedFuture(new CannotWakeException());
    }

    /** The database is known not to have it, and is not asked for it. */
    private static final class CannotWakeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CannotWakeException() {
            super("it has no LISTEN and NOTIFY", null, false, false);
        }
    }

    /** One that took so long that it was given up, and another made, may come in the end. */
    private synchronized void adopt(PgConnection open) {
        if (connection == null) {
            connection = open;
        } else {
            var _ = open.close();
        }
    }

    private Uni<Void> check(PgConnection open) {
        signal.hearsOthers(heard);
        heard = false;
        return uni(open.query("SHOW transaction_read_only")
                .execute()
                .compose(rows -> failIfReadOnly(rows.iterator().next().getString(0)))
                .compose(_ -> say(open, echo)));
    }

    /** Others have gone on to the server that has replaced this one. */
    private static Future<Void> failIfReadOnly(String readOnly) {
        return readOnly.equals("on") ? Future.failedFuture("the server is read-only") : Future.succeededFuture();
    }

    private static Future<Void> say(PgConnection open, String channel) {
        return WakeupSender.notify(open, "NOTIFY " + channel);
    }

    private static Uni<Void> uni(Future<Void> future) {
        return Uni.createFrom().completionStage(future.toCompletionStage());
    }

    private void received(PgConnection open, PgNotification notification) {
        var channel = notification.getChannel();
        if (channel.equals(echo)) {
            heard = true;
            signal.hearsOthers(true);
        } else if (notification.getProcessId() == open.processId()) {
            // What this process has said itself.
            return;
        } else if (channel.equals(WakeupSender.NOTES)) {
            broadcast.heard(notification.getPayload());
        } else {
            signal.heard(named(notification.getPayload()));
        }
    }

    /** The work that a payload names; an empty one stands for all, and for what may be late. */
    private static Set<Work> named(String payload) {
        if (payload.equals(WakeupSender.EXECUTION)) {
            return DueSignal.EXECUTIONS;
        }
        return DueSignal.ANYTHING.stream()
                .filter(work -> work.name().equals(payload))
                .findFirst()
                .map(Set::of)
                .orElse(DueSignal.ANYTHING);
    }

    private Duration lost(Throwable failure) {
        var open = connection;
        if (open != null) {
            drop(open);
            var _ = open.close();
        }
        if (failure instanceof CannotWakeException
                || (failure instanceof PgException e && UNKNOWN.contains(e.getSqlState()))) {
            LOG.infof("the database cannot wake other processes, so they poll: %s", failure.getMessage());
            return NEVER;
        }
        LOG.debugf("other processes cannot be heard: %s", failure);
        return BETWEEN_TRIES;
    }

    private void drop(PgConnection closed) {
        if (closed.equals(connection)) {
            connection = null;
            signal.hearsOthers(false);
        }
    }
}
