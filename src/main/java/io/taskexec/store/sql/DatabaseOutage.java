package io.taskexec.store.sql;

import io.vertx.core.VertxException;
import io.vertx.core.impl.NoStackTraceThrowable;
import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Recognizes an outage of the database by the failures of statements, and logs its begin and its end. */
final class DatabaseOutage {
    private static final Logger LOG = Logger.getLogger(Database.class);

    /** lock_not_available: who has the lock is well. */
    static final String LOCKED = "55P03";

    /** query_canceled, by the timeout of statements: this one was slow, and others may be well. */
    static final String TIMED_OUT = "57014";

    /** idle_in_transaction_session_timeout: this process was stopped for a while, and others may be well. */
    private static final String SILENT = "25P03";

    /** These, serialization_failure and deadlock_detected: failures of single statements, no outage. */
    static final Set<String> OF_STATEMENTS = Set.of("40001", "40P01", LOCKED, TIMED_OUT, SILENT);

    /** out_of_memory, of a statement: the table of all locks is full, as by reads of many days of history at once. */
    private static final String NO_MEMORY = "53200";

    /** The class of the states of insufficient_resources, such as disk_full. */
    private static final String SHORTAGES = "53";

    /** read_only_sql_transaction, on a server that has become a standby or was made read-only. */
    private static final String READ_ONLY = "25006";

    /** The class of the states of refused logins: a password was changed or has expired, or a role may not log in. */
    private static final String NO_LOGIN = "28";

    /** invalid_catalog_name, of a login: the database is just being replaced by a backup. */
    private static final String NO_DATABASE = "3D000";

    /** The class of the states of system_error, such as io_error: of one file, and others may be well. */
    private static final String FILES = "58";

    /** A full disk, a server that only reads, and refused logins: connections that are there go on. */
    private static final Set<String> OF_SOME_STATEMENTS = Set.of("53100", READ_ONLY, NO_LOGIN);

    /**
     * How the states of outages begin: connections, resources, shutdowns and starts, and logins; and those of a
     * read-only server and of a missing database.
     */
    private static final Set<String> OUTAGES = Set.of("08", SHORTAGES, "57P", READ_ONLY, NO_LOGIN, NO_DATABASE);

    /** Beginnings of the states by which the server says that a statement has changed nothing. */
    private static final Set<String> REFUSALS = Set.of(SHORTAGES, READ_ONLY, "57P03", NO_LOGIN, NO_DATABASE);

    /** Where some statements fail and others do not, each success would otherwise end the outage. */
    static final Duration CALM = Duration.ofSeconds(1);

    /** The same where much goes on to succeed: with a full disk, on a read-only server, or without logins. */
    static final Duration LONG_CALM = Duration.ofSeconds(30);

    /** Slow statements, and those without a lock, are logged once in this time. */
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private boolean begun;
    private long beganAt;
    private Duration calm = CALM;
    private volatile @Nullable Long lastSeenAt;
    private volatile boolean present;
    private volatile @Nullable Long answerLostAt;
    private final Map<String, Long> warnedAt = new HashMap<>();

    DatabaseOutage() {
        this(System::nanoTime);
    }

    /** @param nanoTime as of {@link System#nanoTime} */
    DatabaseOutage(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Whether the same statement may succeed later as it is. */
    static boolean isTransient(Throwable failure) {
        return isOutage(failure)
                || hasState(NO_MEMORY, failure)
                || begins(Set.of(FILES), failure)
                || (failure instanceof PgException e && OF_STATEMENTS.contains(e.getSqlState()));
    }

    /** Whether the server takes no changes. */
    static boolean isReadOnly(Throwable failure) {
        return hasState(READ_ONLY, failure);
    }

    private static boolean hasState(String state, Throwable failure) {
        return failure instanceof PgException e && state.equals(e.getSqlState());
    }

    private static boolean begins(Set<String> states, Throwable failure) {
        return failure instanceof PgException e && states.stream().anyMatch(e.getSqlState()::startsWith);
    }

    private static boolean isOutage(Throwable failure) {
        if (failure instanceof PgException) {
            return begins(OUTAGES, failure) && !hasState(NO_MEMORY, failure);
        }
        // Of the client's own failures not all have a type: a connection that "is not active now" has none.
        return failure instanceof IOException
                || failure instanceof TimeoutException
                || failure instanceof VertxException
                || failure instanceof NoStackTraceThrowable;
    }

    /** Takes any failure of a statement, which may be run again: it may have done its work all the same. */
    void mayHaveLostAnswer(Throwable failure) {
        if (isOutage(failure) && !begins(REFUSALS, failure)) {
            answerIsLost();
        }
    }

    /** Notes that this process does not know all that a statement has changed. */
    void answerIsLost() {
        answerLostAt = nanoTime.getAsLong();
    }

    /** Takes the last failure of a statement, which {@link #isTransient}; returns what its caller gets to see. */
    UnavailableException failed(Throwable failure) {
        if (isOutage(failure)) {
            seen(failure);
        } else if (hasState(TIMED_OUT, failure)) {
            warn(TIMED_OUT, "a statement took longer than TE_DB_STATEMENT_TIMEOUT_MS, and was ended");
        } else if (hasState(NO_MEMORY, failure)) {
            warn(
                    NO_MEMORY,
                    "the database had no memory or lock for a statement, see max_locks_per_transaction: "
                            + reason(failure));
        } else if (begins(Set.of(FILES), failure)) {
            warn(FILES, "the database could not use a file for a statement, see its log: " + reason(failure));
        }
        return hasState(LOCKED, failure)
                ? new LockedException()
                : new UnavailableException("database unavailable: " + reason(failure));
    }

    private synchronized void seen(Throwable failure) {
        lastSeenAt = nanoTime.getAsLong();
        present = true;
        if (begins(OF_SOME_STATEMENTS, failure)) {
            calm = LONG_CALM;
        }
        if (!begun) {
            begun = true;
            beganAt = nanoTime.getAsLong();
            LOG.warnf("database outage, statements are tried again until it is over: %s", reason(failure));
        }
    }

    /** Heartbeats of other processes may be missing too, since one of this process was not written. */
    void mayHaveLostBeats() {
        lastSeenAt = nanoTime.getAsLong();
    }

    private synchronized void warn(String state, String message) {
        var now = nanoTime.getAsLong();
        var last = warnedAt.get(state);
        if (last == null || now - last >= BETWEEN_WARNINGS.toNanos()) {
            warnedAt.put(state, now);
            LOG.warn(message);
        }
    }

    /** A statement has succeeded. */
    void worked() {
        if (present) {
            endAfterCalm();
        }
    }

    private synchronized void endAfterCalm() {
        if (begun && !within(calm)) {
            begun = false;
            present = false;
            calm = CALM;
            LOG.warnf(
                    "the database outage is over after %d ms",
                    // Not with the calm after it.
                    Duration.ofNanos(Objects.requireNonNull(lastSeenAt) - beganAt)
                            .toMillis());
        }
    }

    /** Whether there was an outage in this time. */
    boolean within(Duration time) {
        var last = lastSeenAt;
        return last != null && nanoTime.getAsLong() - last < time.toNanos();
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
