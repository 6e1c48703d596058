package io.taskexec.store.sql;

import io.vertx.core.VertxException;
import io.vertx.core.impl.NoStackTraceThrowable;
import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Recognizes an outage of the database by the failures of statements, and logs its begin and its end. */
final class DatabaseOutage {
    private static final Logger LOG = Logger.getLogger(Database.class);

    /** lock_not_available: who has the lock is well. */
    static final String LOCKED = "55P03";

    /** query_canceled, by the timeout of statements: this one was slow, and others may be well. */
    static final String TIMED_OUT = "57014";

    /** The same, serialization_failure and deadlock_detected: failures of single statements, no outage. */
    static final Set<String> OF_STATEMENTS = Set.of("40001", "40P01", LOCKED, TIMED_OUT);

    /**
     * How the states of outages begin: connections, resources, shutdowns and starts; and read_only_sql_transaction, on
     * a server that has become a standby.
     */
    private static final Set<String> OUTAGES = Set.of("08", "53", "57P", "25006");

    /** By these the server says that a statement has done nothing. */
    private static final Set<String> REFUSALS = Set.of("25006", "57P03");

    /** Where some statements fail and others do not, each success would otherwise end the outage. */
    private static final Duration CALM = Duration.ofSeconds(1);

    /** Slow statements are logged once in this time. */
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

    private boolean begun;
    private long beganAt;
    private volatile @Nullable Long lastSeenAt;
    private volatile boolean present;
    private volatile @Nullable Long answerLostAt;
    private @Nullable Long warnedAt;

    /** Whether the same statement may succeed later, without a change by a person. */
    static boolean isTransient(Throwable failure) {
        return isOutage(failure) || (failure instanceof PgException e && OF_STATEMENTS.contains(e.getSqlState()));
    }

    private static boolean isOutage(Throwable failure) {
        if (failure instanceof PgException e) {
            return OUTAGES.stream().anyMatch(e.getSqlState()::startsWith);
        }
        // Of the client's own failures not all have a type: a connection that "is not active now" has none.
        return failure instanceof IOException
                || failure instanceof TimeoutException
                || failure instanceof VertxException
                || failure instanceof NoStackTraceThrowable;
    }

    /** Takes any failure of a statement, which may be run again: it may have done its work all the same. */
    void mayHaveLostAnswer(Throwable failure) {
        if (isOutage(failure)
                && !(failure instanceof PgException e
                        && (REFUSALS.contains(e.getSqlState())
                                || e.getSqlState().startsWith("53")))) {
            answerLostAt = System.nanoTime();
        }
    }

    /** Takes the last failure of a statement, which {@link #isTransient}; returns what its caller gets to see. */
    UnavailableException failed(Throwable failure) {
        if (isOutage(failure)) {
            seen(failure);
        } else if (failure instanceof PgException e && TIMED_OUT.equals(e.getSqlState())) {
            warn();
        }
        return failure instanceof PgException e && LOCKED.equals(e.getSqlState())
                ? new LockedException()
                : new UnavailableException("database unavailable: " + reason(failure));
    }

    private synchronized void seen(Throwable failure) {
        lastSeenAt = System.nanoTime();
        present = true;
        if (!begun) {
            begun = true;
            beganAt = System.nanoTime();
            LOG.warnf("database outage, statements are tried again until it is over: %s", reason(failure));
        }
    }

    /** Heartbeats of other processes may be missing too, since one of this process was not written. */
    void mayHaveLostBeats() {
        lastSeenAt = System.nanoTime();
    }

    private synchronized void warn() {
        var now = System.nanoTime();
        var last = warnedAt;
        if (last == null || now - last >= BETWEEN_WARNINGS.toNanos()) {
            warnedAt = now;
            LOG.warn("a statement took longer than TE_DB_STATEMENT_TIMEOUT_MS, and was ended");
        }
    }

    /** A statement has succeeded. */
    void worked() {
        if (present) {
            endAfterCalm();
        }
    }

    private synchronized void endAfterCalm() {
        if (begun && !within(CALM)) {
            begun = false;
            present = false;
            LOG.warnf(
                    "the database outage is over after %d ms",
                    Duration.ofNanos(System.nanoTime() - beganAt).toMillis());
        }
    }

    /** Whether there was an outage in this time. */
    boolean within(Duration time) {
        var last = lastSeenAt;
        return last != null && System.nanoTime() - last < time.toNanos();
    }

    /** When the answer to a statement may have been lost, by {@link System#nanoTime}; null when none has been. */
    @Nullable
    Long answerLostAt() {
        return answerLostAt;
    }

    private static String reason(Throwable failure) {
        return failure instanceof PgException e
                ? e.getSqlState() + " " + e.getErrorMessage()
                : failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }
}
