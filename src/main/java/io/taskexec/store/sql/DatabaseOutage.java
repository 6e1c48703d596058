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

    /** The same, serialization_failure and deadlock_detected: conflicts between two transactions, no outage. */
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01", LOCKED);

    /**
     * query_canceled, by the timeout of statements; read_only_sql_transaction, on a server that has become a standby;
     * and, of whole classes, connections (08), resources (53) and shutdowns and starts (57P).
     */
    private static final Set<String> STATES = Set.of("57014", "25006");

    private static final Set<String> CLASSES = Set.of("08", "53", "57P");

    /** By these the server says that a statement has done nothing. */
    private static final Set<String> REFUSALS = Set.of("57014", "25006", "57P03");

    /** Where some statements fail and others do not, each success would otherwise end the outage. */
    private static final Duration CALM = Duration.ofSeconds(1);

    private boolean begun;
    private long beganAt;
    private volatile @Nullable Long lastSeenAt;
    private volatile boolean present;
    private volatile @Nullable Long answerLostAt;

    /** Whether the same statement may succeed later, without a change by a person. */
    static boolean isTransient(Throwable failure) {
        return isOutage(failure) || (failure instanceof PgException e && CONFLICTS.contains(e.getSqlState()));
    }

    private static boolean isOutage(Throwable failure) {
        if (failure instanceof PgException e) {
            return STATES.contains(e.getSqlState()) || CLASSES.stream().anyMatch(e.getSqlState()::startsWith);
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
