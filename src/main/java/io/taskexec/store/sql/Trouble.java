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

/** Knows trouble with the database when it sees it, and tells the log when it begins and when it is over. */
final class Trouble {
    private static final Logger LOG = Logger.getLogger(Database.class);

    /** serialization_failure and deadlock_detected: trouble between two transactions, not with the database. */
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

    /**
     * lock_not_available and query_canceled, by the timeout of statements; read_only_sql_transaction, on a server that
     * has become a standby; and, of whole classes, connections (08), resources (53) and shutdowns and starts (57P).
     */
    private static final Set<String> STATES = Set.of("55P03", "57014", "25006");

    private static final Set<String> CLASSES = Set.of("08", "53", "57P");

    /** Where some statements fail and others do not, each success would otherwise end the trouble. */
    private static final Duration CALM = Duration.ofSeconds(1);

    private boolean begun;
    private long beganAt;
    private volatile @Nullable Long lastSeenAt;
    private volatile boolean present;

    /** Whether the same may work later, and without anybody's doing. */
    static boolean passes(Throwable failure) {
        return isTrouble(failure) || (failure instanceof PgException e && CONFLICTS.contains(e.getSqlState()));
    }

    private static boolean isTrouble(Throwable failure) {
        if (failure instanceof PgException e) {
            return STATES.contains(e.getSqlState()) || CLASSES.stream().anyMatch(e.getSqlState()::startsWith);
        }
        // Of the client's own failures not all have a type: a connection that "is not active now" has none.
        return failure instanceof IOException
                || failure instanceof TimeoutException
                || failure instanceof VertxException
                || failure instanceof NoStackTraceThrowable;
    }

    /** A statement has failed for good with what {@link #passes}; gives what its caller gets to see. */
    UnavailableException failed(Throwable failure) {
        if (isTrouble(failure)) {
            seen(failure);
        }
        return new UnavailableException("the database did not do it: " + reason(failure));
    }

    private synchronized void seen(Throwable failure) {
        lastSeenAt = System.nanoTime();
        present = true;
        if (!begun) {
            begun = true;
            beganAt = System.nanoTime();
            LOG.warnf("trouble with the database, what needs it has to wait: %s", reason(failure));
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
                    "the trouble with the database is over after %d ms",
                    Duration.ofNanos(System.nanoTime() - beganAt).toMillis());
        }
    }

    /** Whether there was any in this time. */
    boolean within(Duration time) {
        var last = lastSeenAt;
        return last != null && System.nanoTime() - last < time.toNanos();
    }

    private static String reason(Throwable failure) {
        return failure instanceof PgException e
                ? e.getSqlState() + " " + e.getErrorMessage()
                : failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }
}
