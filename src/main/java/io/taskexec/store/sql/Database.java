package io.taskexec.store.sql;

import static io.taskexec.store.sql.Columns.instant;

import io.smallrye.mutiny.Uni;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.metrics.StoreMetrics;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import io.vertx.pgclient.PgException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements and transactions, and is the one place that runs them again after a transient failure. Perhaps only
 * the answer was lost: so each may have done its work when it runs again, and the answer that comes then tells of the
 * later run alone. {@link #answerLostAt} says when that may last have happened: what a claim has leased then without
 * an answer is looked for, and handed back.
 *
 * <p>No statement and no transaction takes longer than a bound that is known beforehand, and a transient failure
 * becomes {@link UnavailableException}.
 */
@Singleton
public final class Database {
    private static final Logger LOG = Logger.getLogger(Database.class);
    private static final Duration FIRST_RETRY = Duration.ofMillis(10);
    private static final Duration LAST_RETRY = Duration.ofMillis(500);
    private static final int RETRIES = 5;
    private static final double JITTER = 0.5;

    /** The statement took all of its time, or all that it had for a lock. */
    private static final Set<String> TOOK_ALL_TIME = Set.of(DatabaseOutage.TIMED_OUT, DatabaseOutage.LOCKED);

    /** Added to the timeout of the server: for waiting for a connection, and running again. */
    private static final Duration EXTRA = Duration.ofSeconds(2);

    private static final Duration BETWEEN_LEAVES = Duration.ofMillis(100);

    /** Whatever connection of the pool gets it, one to a server that takes changes stays. */
    private static final String LEAVE_IF_READ_ONLY = """
            SELECT pg_terminate_backend(pg_backend_pid()) WHERE current_setting('transaction_read_only') = 'on'
            """;

    private final Pool pool;
    private final Duration patience;
    private final Dialect dialect;
    private final Map<String, String> kept = new ConcurrentHashMap<>();
    private final boolean events;
    private final StoreMetrics metrics;
    private final DatabaseOutage outage;
    private final AtomicLong leftAt = new AtomicLong(System.nanoTime() - BETWEEN_LEAVES.toNanos());

    /** The transaction that everything is part of; null outside a rehearsal. */
    private final @Nullable SqlConnection rehearsal;

    @Inject
    Database(
            Pool pool,
            DatabaseConfig config,
            @ConfigProperty(name = Dialect.PROPERTY, defaultValue = "POSTGRESQL") Dialect dialect,
            EventsConfig events,
            Meters meters) {
        this(pool, config.dbStatementTimeout(), dialect, events.isEnabled(), meters);
    }

    /** @param statement how long the server lets a statement run */
    public Database(Pool pool, Duration statement) {
        this(pool, statement, false, Meters.none());
    }

    /**
     * @param statement how long the server lets a statement run
     * @param events whether changes of executions are written down
     */
    public Database(Pool pool, Duration statement, boolean events) {
        this(pool, statement, events, Meters.none());
    }

    /** The same, and what the stores do is measured. */
    public Database(Pool pool, Duration statement, boolean events, Meters meters) {
        this(pool, statement, Dialect.POSTGRESQL, events, meters);
    }

    private Database(Pool pool, Duration statement, Dialect dialect, boolean events, Meters meters) {
        this.pool = pool;
        this.dialect = dialect;
        this.patience = patience(statement);
        this.events = events;
        this.metrics = new StoreMetrics(meters);
        this.outage = new DatabaseOutage();
        this.rehearsal = null;
    }

    private Database(Database whole, SqlConnection rehearsal) {
        this.pool = whole.pool;
        this.patience = whole.patience;
        this.dialect = whole.dialect;
        this.events = whole.events;
        this.metrics = new StoreMetrics(Meters.none());
        this.outage = whole.outage;
        this.rehearsal = rehearsal;
    }

    /** Whether all that is done here is taken back. */
    public boolean isRehearsal() {
        return rehearsal != null;
    }

    /** The metrics of the stores. */
    public StoreMetrics metrics() {
        return metrics;
    }

    /** The form of a statement that this process runs; its plan is kept. */
    public String form(EventedStatement statement) {
        return keepingPlan(statement.form(events));
    }

    /** Whether it is PostgreSQL itself. */
    public boolean isPostgresql() {
        return dialect == Dialect.POSTGRESQL;
    }

    /** Whether changes of executions are written down. */
    public boolean writesEvents() {
        return events;
    }

    /** A statement that runs for each job, so that its plan is kept. */
    public String keepingPlan(String sql) {
        return kept.computeIfAbsent(sql, dialect::keepingPlan);
    }

    /** Runs one statement outside any transaction of ours. */
    public Uni<RowSet<Row>> run(String sql, Tuple parameters) {
        var transaction = rehearsal;
        return transaction == null
                ? retried(() -> on(pool, sql, parameters))
                : Uni.createFrom().deferred(() -> on(transaction, sql, parameters));
    }

    /** Runs {@code work} in a transaction that is rolled back when it fails; all of it may run more than once. */
    public <T extends @Nullable Object> Uni<T> withTransaction(Function<SqlConnection, Uni<T>> work) {
        var surrounding = rehearsal;
        return surrounding == null
                ? retried(() -> pool.withTransaction(transaction -> {
                    transaction.exceptionHandler(Database::logConnectionError);
                    return work.apply(transaction);
                }))
                : Uni.createFrom().deferred(() -> work.apply(surrounding));
    }

    /**
     * The same for work that is not to happen twice: when it had come to its end and the answer to the commit was lost,
     * {@code isDone} looks whether its result is in the database.
     */
    public <T extends @Nullable Object> Uni<T> withTransaction(
            Function<SqlConnection, Uni<T>> work, BiFunction<SqlConnection, @NonNull T, Uni<Boolean>> isDone) {
        var result = new AtomicReference<@Nullable T>();
        return withTransaction(transaction -> {
            var before = result.get();
            Uni<T> running =
                    Uni.createFrom().deferred(() -> work.apply(transaction)).invoke(result::set);
            return before == null
                    ? running
                    : isDone.apply(transaction, before)
                            .chain(done -> done ? Uni.createFrom().item(before) : running);
        });
    }

    /**
     * Runs {@code work} with a database of its own, in which it finds what it has written, and takes all of that back,
     * however it ends; all of it may run more than once.
     */
    public <T extends @Nullable Object> Uni<T> rehearse(Function<Database, Uni<T>> work) {
        return retried(() -> pool.withConnection(connection -> {
            connection.exceptionHandler(Database::logConnectionError);
            // A transaction cannot go on after it has not got a lock, so that it waits as long as a single caller.
            return connection
                    .begin()
                    .chain(transaction -> LockTimeout.OF_ONE
                            .set(connection)
                            .chain(() -> work.apply(new Database(this, connection)))
                            .onItemOrFailure()
                            // It only fails with its connection, which ends the transaction too.
                            .call((_, _) -> transaction.rollback().onFailure().recoverWithNull()));
        }));
    }

    /**
     * Logs the failure of a connection, which the client would print with its stack otherwise. The statements on the
     * connection fail as well, and are reported there.
     */
    public static void logConnectionError(Throwable failure) {
        LOG.debugf("a connection has failed: %s", failure);
    }

    /** The database's clock. */
    public Uni<Instant> now() {
        return run("SELECT now() AS at", Tuple.tuple())
                .map(rows -> instant(rows.iterator().next(), "at"));
    }

    /** Whether the database answers within {@code time}; never fails. */
    public Uni<Boolean> answers(Duration time) {
        return pool.query("SELECT 1")
                .execute()
                .replaceWith(true)
                .invoke(_ -> outage.worked())
                .ifNoItem()
                .after(time)
                .fail()
                .onFailure()
                .recoverWithItem(false);
    }

    /**
     * How long a statement may take with all that is done for it, when the server lets it run for {@code statement}.
     */
    public static Duration patience(Duration statement) {
        return statement.plus(EXTRA);
    }

    /** How long a statement or a transaction may take with all that is done for it; later its answer is not heard. */
    public Duration patience() {
        return patience;
    }

    /**
     * Whether statements of this process have failed within {@code time} because of the database, or one by which it
     * says that it is alive: what others should have written in it may not be there.
     */
    public boolean hadOutageWithin(Duration time) {
        return outage.within(time);
    }

    /** Runs a statement by which this process says that it is alive. */
    public Uni<Void> beat(String sql, Tuple parameters) {
        return run(sql, parameters).onFailure().invoke(outage::mayHaveLostBeats).replaceWithVoid();
    }

    /**
     * When a statement of this process, also one that was run again with success, may last have done something of which
     * the answer was lost, by {@link System#nanoTime}; null when none has.
     */
    public @Nullable Long answerLostAt() {
        return outage.answerLostAt();
    }

    /**
     * Notes that a statement has done something that this process does not go on with, since it could not read what
     * belongs to it: as if its answer had been lost.
     */
    public void answerIsLost() {
        outage.answerIsLost();
    }

    /** Runs one statement within a transaction. */
    public static Uni<RowSet<Row>> on(SqlClient client, String sql, Tuple parameters) {
        return client.preparedQuery(sql).execute(parameters);
    }

    /** Whether a statement failed because of a value in it: SQLSTATE classes 22 (data) and 23 (constraint). */
    public static boolean blamesData(Throwable failure) {
        return failure instanceof PgException e
                && (e.getSqlState().startsWith("22") || e.getSqlState().startsWith("23"));
    }

    /** The name of the constraint that refused a statement, null when the failure is another one. */
    public static @Nullable String violatedConstraint(Throwable failure) {
        return failure instanceof PgException e && e.getSqlState().startsWith("23") ? e.getConstraint() : null;
    }

    private <T extends @Nullable Object> Uni<T> retried(Supplier<Uni<T>> work) {
        return Uni.createFrom()
                .deferred(() -> work.get())
                .onFailure(DatabaseOutage::isTransient)
                .invoke(this::failed)
                .onFailure(Database::isRetryableNow)
                .retry()
                .withBackOff(FIRST_RETRY, LAST_RETRY)
                .withJitter(JITTER)
                .atMost(RETRIES)
                .ifNoItem()
                .after(patience)
                .failWith(this::outOfPatience)
                .onItem()
                .invoke(_ -> outage.worked())
                .onFailure(DatabaseOutage::isTransient)
                .transform(outage::failed);
    }

    private TimeoutException outOfPatience() {
        var timeout = new TimeoutException("no answer within " + patience.toMillis() + " ms");
        failed(timeout);
        return timeout;
    }

    private void failed(Throwable failure) {
        metrics.transientFailure(failure);
        outage.mayHaveLostAnswer(failure);
        if (DatabaseOutage.isReadOnly(failure)) {
            leaveReadOnlyServer();
        }
    }

    /**
     * Ends a connection to a server that only reads, such as a primary that another one has replaced. The pool keeps a
     * connection as long as it is busy; a new one goes to where the name of the host leads by then.
     */
    private void leaveReadOnlyServer() {
        var now = System.nanoTime();
        var last = leftAt.get();
        if (now - last >= BETWEEN_LEAVES.toNanos() && leftAt.compareAndSet(last, now)) {
            // It fails with the connection that it ends.
            var _ = pool.query(LEAVE_IF_READ_ONLY).execute().subscribe().with(_ -> {}, Database::logConnectionError);
        }
    }

    /** A statement that took all of its time would only take it again. */
    private static boolean isRetryableNow(Throwable failure) {
        return DatabaseOutage.isTransient(failure)
                && !(failure instanceof PgException e && TOOK_ALL_TIME.contains(e.getSqlState()));
    }
}
