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
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Carries the {@link DueSignal} and {@link ProcessBroadcast} from process to process, by LISTEN and NOTIFY on one
 * connection of its own. Only a shortcut, too: where it does not work, polling is what finds work.
 */
@Singleton
public final class Wakeups {
    private static final Logger LOG = Logger.getLogger(Wakeups.class);
    private static final String CHANNEL = "taskexec_due";
    private static final String NOTES = "taskexec_notes";

    /** The payload for {@link DueSignal#EXECUTIONS}. */
    private static final String EXECUTION = "EXECUTION";

    /** Those that wait to be sent together; others are lost. */
    private static final int MOST_NOTES = 1_000;

    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(5);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
    private static final Duration NEVER = Duration.ofDays(365);

    /** A NOTIFY is a commit, so that many signals share one. */
    private static final long SHORTEST_GAP_MS = 1;

    /** While there are always more. */
    private static final long LONGEST_GAP_MS = 5;

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
    private final Set<Work> unsent = EnumSet.noneOf(Work.class);
    private boolean isLateUnsent;
    private final List<String> unsentNotes = new ArrayList<>();
    private boolean sending;
    private volatile long gapMs = SHORTEST_GAP_MS;

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
            signal.onRaise(this::tellOthers);
            broadcast.onTell(this::tellOthers);
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
                ? open.query("SET synchronous_commit = off; LISTEN " + CHANNEL + "; LISTEN " + NOTES + "; LISTEN "
                                + echo)
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
        return uni(say(open, echo));
    }

    private static Future<Void> say(PgConnection open, String channel) {
        // Of one that is cut off nothing comes back, not even a failure, until the connection is given up.
        return notify(open, "NOTIFY " + channel);
    }

    private static Future<Void> notify(PgConnection open, String statement) {
        return open.query(statement)
                .execute()
                .<Void>mapEmpty()
                .timeout(BETWEEN_CHECKS.toMillis(), TimeUnit.MILLISECONDS);
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
        } else if (channel.equals(NOTES)) {
            broadcast.heard(notification.getPayload());
        } else {
            signal.heard(named(notification.getPayload()));
        }
    }

    /** The work that a payload names; an empty one stands for all, and for what may be late. */
    private static Set<Work> named(String payload) {
        if (payload.equals(EXECUTION)) {
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

    private void tellOthers(Set<Work> works) {
        synchronized (this) {
            unsent.addAll(works);
            isLateUnsent |= works.equals(DueSignal.ANYTHING);
        }
        sendUnlessSending();
    }

    private void tellOthers(String note) {
        synchronized (this) {
            if (unsentNotes.size() < MOST_NOTES) {
                unsentNotes.add(note);
            }
        }
        sendUnlessSending();
    }

    private void sendUnlessSending() {
        synchronized (this) {
            if (sending) {
                return;
            }
            sending = true;
        }
        send();
    }

    private void send() {
        var open = connection;
        var signals = takeUnsent();
        var told = takeUnsentNotes();
        var sent = open == null ? Future.<Void>succeededFuture() : send(open, signals, told);
        sent.onComplete(_ -> vertx.setTimer(gapMs, _ -> sent()));
    }

    private static Future<Void> send(PgConnection open, String signals, List<String> told) {
        var sent = signals.isEmpty() ? Future.<Void>succeededFuture() : notify(open, signals);
        return told.isEmpty() ? sent : sent.eventually(() -> notify(open, notes(told)));
    }

    private static String notes(List<String> told) {
        return told.stream()
                .map(note -> "NOTIFY " + NOTES + ", '" + note.replace("'", "''") + "'")
                .collect(Collectors.joining("; "));
    }

    private static String statement(Set<Work> works) {
        var all = works.containsAll(DueSignal.EXECUTIONS);
        var payloads = works.stream()
                .map(work -> all && work != Work.TICK ? EXECUTION : work.name())
                .distinct();
        return payloads.map(payload -> "NOTIFY %s, '%s'".formatted(CHANNEL, payload))
                .collect(Collectors.joining("; "));
    }

    /** Several signals that name all kinds of work together are not one of what may be late. */
    private synchronized String takeUnsent() {
        var statement = isLateUnsent ? "NOTIFY " + CHANNEL : statement(unsent);
        unsent.clear();
        isLateUnsent = false;
        return statement;
    }

    private synchronized List<String> takeUnsentNotes() {
        var told = List.copyOf(unsentNotes);
        unsentNotes.clear();
        return told;
    }

    private void sent() {
        synchronized (this) {
            sending = !unsent.isEmpty() || !unsentNotes.isEmpty();
            if (!sending) {
                gapMs = SHORTEST_GAP_MS;
                return;
            }
            gapMs = Math.min(LONGEST_GAP_MS, 2 * gapMs);
        }
        send();
    }
}
