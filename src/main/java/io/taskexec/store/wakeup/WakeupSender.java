package io.taskexec.store.wakeup;

import io.taskexec.store.wakeup.DueSignal.Work;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tells other processes what is signalled and noted here. What comes while something is sent goes together. */
final class WakeupSender {
    static final String CHANNEL = "taskexec_due";
    static final String NOTES = "taskexec_notes";

    /** The payload for {@link DueSignal#EXECUTIONS}. */
    static final String EXECUTION = "EXECUTION";

    /** Those that wait to be sent together; others are lost. */
    private static final int MOST_NOTES = 1_000;

    /** A NOTIFY is a commit, so that many signals share one. */
    private static final long SHORTEST_GAP_MS = 1;

    /** While there are always more. */
    private static final long LONGEST_GAP_MS = 5;

    /** Of a connection that is cut off nothing comes back, not even a failure, until it is given up. */
    private static final long TIMEOUT_MS = 5_000;

    private final Vertx vertx;
    private final Supplier<@Nullable PgConnection> connection;
    private final Set<Work> unsent = EnumSet.noneOf(Work.class);
    private boolean isLateUnsent;
    private final List<String> unsentNotes = new ArrayList<>();
    private boolean sending;
    private volatile long gapMs = SHORTEST_GAP_MS;

    /** @param connection null while it is down: wake-ups are lost then */
    WakeupSender(Vertx vertx, Supplier<@Nullable PgConnection> connection) {
        this.vertx = vertx;
        this.connection = connection;
    }

    static Future<Void> notify(PgConnection open, String statement) {
        return open.query(statement).execute().<Void>mapEmpty().timeout(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    void tell(Set<Work> works) {
        synchronized (this) {
            unsent.addAll(works);
            isLateUnsent |= works.equals(DueSignal.ANYTHING);
        }
        sendUnlessSending();
    }

    void tell(String note) {
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
        var open = connection.get();
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
