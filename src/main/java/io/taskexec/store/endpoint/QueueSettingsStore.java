package io.taskexec.store.endpoint;

import static io.taskexec.store.sql.Columns.durationOrNull;
import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.millisOrNull;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.flow.RateLimit;
import io.taskexec.model.queue.Queue;
import io.taskexec.model.queue.QueueDetails;
import io.taskexec.model.queue.QueueDetails.Pause;
import io.taskexec.model.queue.QueueDetails.Settings;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.flow.FlowPolicies;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.sql.LockTimeout;
import io.taskexec.store.sql.NameTakenException;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes queues with their settings, pauses and deletes them. Each change locks the row of its queue and then
 * the epoch by which workers see that there was one; so changes of several queues wait for each other, and never in a
 * circle.
 */
@Singleton
public final class QueueSettingsStore {
    private final Database database;

    public QueueSettingsStore(Database database) {
        this.database = database;
    }

    // A pause that has ended by itself is the next version, so that a version tells all that is shown. The next
    // write goes on from there.
    static final String VERSION = "version + CASE WHEN paused_until <= now() THEN 1 ELSE 0 END";

    private static final String COLUMNS = """
            name, %s AS version, weight, aging_ms, max_concurrency, rate_limit, rate_per_ms, rate_burst, ttl_ms,
              created_at,
              CASE WHEN paused_until <= now() THEN greatest(paused_until, updated_at) ELSE updated_at END AS updated_at,
              CASE WHEN %s THEN paused_at END AS paused_at, paused_until, pause_reason
            """.formatted(VERSION, Lanes.IS_PAUSED);

    private static final String SELECT =
            "SELECT " + COLUMNS + "FROM queues WHERE name = $1::text AND deleted_at IS NULL";

    /** Returns null when no queue has that name. */
    public Uni<@Nullable QueueDetails> find(String name) {
        return database.run(SELECT, Tuple.of(name)).map(rows -> Columns.first(rows, QueueSettingsStore::read));
    }

    private static final String SELECT_SEVERAL =
            "SELECT " + COLUMNS + "FROM queues WHERE name = ANY($1::text[]) AND deleted_at IS NULL";

    /** Returns those of the queues that exist, in no order. */
    public Uni<List<QueueDetails>> find(Collection<String> names) {
        return database.run(SELECT_SEVERAL, Tuple.tuple().addValue(names.toArray(String[]::new)))
                .map(rows -> Columns.list(rows, QueueSettingsStore::read));
    }

    private static final String LIST = "SELECT " + COLUMNS + """
            FROM queues
            WHERE deleted_at IS NULL
              AND ($1::timestamptz IS NULL OR (created_at, name) < ($1::timestamptz, $2::text))
            ORDER BY created_at DESC, name DESC
            LIMIT $3::bigint
            """;

    public Uni<Page<QueueDetails, Position>> list(PageQuery query) {
        return NamedPages.read(database, LIST, query, QueueSettingsStore::read);
    }

    // A creation of a job or an endpoint that names the queue is not in the way of a change, nor this in its.
    private static final String LOCK = "SELECT " + VERSION + """
             AS version, created_at FROM queues
            WHERE name = $1::text AND deleted_at IS NULL
            FOR NO KEY UPDATE
            """;

    private static final String UPDATE = """
            UPDATE queues
            SET version = %s + $4::int, updated_at = now(), weight = $2::smallint, aging_ms = $3::bigint,
                max_concurrency = $5::int, rate_limit = $6::int, rate_per_ms = $7::bigint, rate_burst = $8::int,
                ttl_ms = $9::bigint,
                resumed_at = CASE WHEN paused_until <= now() THEN paused_until ELSE resumed_at END,
                paused_at = CASE WHEN paused_until <= now() THEN NULL ELSE paused_at END,
                pause_reason = CASE WHEN paused_until <= now() THEN NULL ELSE pause_reason END,
                paused_until = CASE WHEN paused_until <= now() THEN NULL ELSE paused_until END
            WHERE name = $1::text
            """.formatted(VERSION);

    private static final String BUMP = "UPDATE epochs SET value = value + 1 WHERE name = 'queues'";

    /** Fails with {@link NameTakenException} or {@link LimitReachedException}. */
    public Uni<QueueDetails> create(String name, Settings settings) {
        return write(transaction -> Database.on(transaction, LOCK, Tuple.of(name))
                        .chain(rows -> rows.rowCount() > 0
                                ? Uni.createFrom().failure(new NameTakenException(name))
                                : createIn(transaction, name, settings))
                        .invoke(written -> {
                            if (!written.isNew()) {
                                throw new NameTakenException(name);
                            }
                        }))
                .map(Written::queue);
    }

    private Uni<Written> write(Function<SqlConnection, Uni<Written>> work) {
        return database.withTransaction(work, (transaction, written) -> isLeft(transaction, written.queue()));
    }

    private static Uni<Boolean> isLeft(SqlConnection transaction, QueueDetails queue) {
        return RowLock.isLeft(transaction, LOCK, SELECT, queue.name(), queue.version(), queue.updatedAt());
    }

    /** Another caller may have created it since it was looked for, which this has waited for. */
    private static Uni<Written> createIn(SqlConnection transaction, String name, Settings settings) {
        return QueueStore.create(transaction, name)
                .chain(isNew -> Database.on(transaction, LOCK, Tuple.of(name))
                        .invoke(rows -> {
                            if (rows.rowCount() == 0) {
                                throw QueueStore.tooMany();
                            }
                        })
                        .chain(() -> write(transaction, name, settings, isNew)));
    }

    /**
     * A queue that was written.
     *
     * @param isNew whether it was created
     */
    public record Written(QueueDetails queue, boolean isNew) {}

    /**
     * Changes the settings of a queue, or creates it with them; fails with {@link PreconditionFailedException}, also
     * when there is a condition and no queue, and with {@link LimitReachedException}.
     */
    public Uni<Written> put(String name, Settings settings, Precondition condition) {
        return write(transaction -> Database.on(transaction, LOCK, Tuple.of(name))
                .invoke(rows -> RowLock.check(rows, condition))
                .chain(rows -> {
                    if (rows.rowCount() > 0) {
                        return write(transaction, name, settings, false);
                    }
                    return condition.equals(Precondition.NONE)
                            ? createIn(transaction, name, settings)
                            : Uni.createFrom().failure(new PreconditionFailedException());
                }));
    }

    private static Uni<Written> write(SqlConnection transaction, String name, Settings settings, boolean isNew) {
        var rate = settings.rate();
        var parameters = Tuple.of(name, (short) settings.weight(), millisOrNull(settings.aging()), isNew ? 0 : 1)
                .addInteger(settings.maxConcurrency())
                .addInteger(rate == null ? null : rate.limit())
                .addLong(rate == null ? null : rate.per().toMillis())
                .addInteger(rate == null ? null : rate.burst())
                .addLong(millisOrNull(settings.ttl()));
        return changed(
                        transaction,
                        name,
                        () -> (settings.isLimited()
                                        ? limit(transaction, name)
                                        : Uni.createFrom().voidItem())
                                .chain(() -> Database.on(transaction, UPDATE, parameters))
                                .chain(() -> rate == null
                                        ? Uni.createFrom().voidItem()
                                        : Database.on(transaction, FIT_TOKENS, Tuple.of(name, rate.allTokensMicros()))
                                                .replaceWithVoid()))
                .map(queue -> new Written(queue, isNew));
    }

    // What runs while the queue has no limits is not counted. So nothing is claimed until every worker has seen that it
    // has some now, and what runs then is marked first. Longer than an execution may begin after a last look.
    private static final String LIMIT = """
            INSERT INTO queue_limits (queue_id, marks_from)
            SELECT queue_id, now() + interval '250 milliseconds' FROM queues
            WHERE name = $1::text AND max_concurrency IS NULL AND rate_limit IS NULL
            ON CONFLICT (queue_id) DO UPDATE SET tat = now(), marks_from = excluded.marks_from
            """;

    // Tokens that were spent at another rate come back at this one.
    private static final String FIT_TOKENS = """
            UPDATE queue_limits SET tat = now() + $2::bigint * interval '1 microsecond'
            WHERE queue_id = (SELECT queue_id FROM queues WHERE name = $1::text)
              AND tat > now() + $2::bigint * interval '1 microsecond'
            """;

    /** Begins to count the executions of a queue, unless it has limits already. */
    private static Uni<Void> limit(SqlConnection transaction, String name) {
        return Database.on(transaction, LIMIT, Tuple.of(name)).replaceWithVoid();
    }

    /** Makes a change of a queue whose row is locked known to workers. */
    private static Uni<QueueDetails> changed(SqlConnection transaction, String name, Supplier<Uni<Void>> change) {
        return change.get()
                .chain(() -> Database.on(transaction, BUMP, Tuple.tuple()))
                .chain(() -> Database.on(transaction, SELECT, Tuple.of(name)))
                .map(rows -> read(rows.iterator().next()));
    }

    // After the pause its claims are counted for a while.
    private static final String SLOW_START = """
            INSERT INTO queue_limits (queue_id) SELECT queue_id FROM queues WHERE name = $1::text
            ON CONFLICT (queue_id) DO NOTHING
            """;

    private static final String PAUSE = """
            UPDATE queues
            SET version = %s + 1, updated_at = now(), paused_at = now(), paused_until = $2::timestamptz,
                pause_reason = $3::text
            WHERE name = $1::text
            """.formatted(VERSION);

    /**
     * Pauses a queue from now on; a pause that is in force is replaced. When this has returned, no worker begins an
     * execution of the queue after the time for which it may rely on its last look at the epoch. Returns null when no
     * queue has that name.
     */
    public Uni<@Nullable QueueDetails> pause(String name, @Nullable Instant until, @Nullable String reason) {
        return locked(
                name,
                transaction -> Database.on(transaction, SLOW_START, Tuple.of(name))
                        .chain(() -> Database.on(transaction, PAUSE, Tuple.of(name, utc(until), reason)))
                        .replaceWithVoid());
    }

    private static final String RESUME = """
            UPDATE queues
            SET version = %s + 1, updated_at = now(),
                resumed_at = CASE WHEN paused_until <= now() THEN paused_until ELSE now() END,
                paused_at = NULL, paused_until = NULL, pause_reason = NULL
            WHERE name = $1::text AND paused_at IS NOT NULL
            """.formatted(VERSION);

    /**
     * Ends the pause of a queue, if there is one; workers look often enough for that. Returns null when no queue has
     * that name.
     */
    public Uni<@Nullable QueueDetails> resume(String name) {
        return locked(
                        name,
                        transaction ->
                                Database.on(transaction, RESUME, Tuple.of(name)).replaceWithVoid())
                .call(() -> FlowPolicies.lookAtLines(database));
    }

    private Uni<@Nullable QueueDetails> locked(String name, Function<SqlConnection, Uni<Void>> change) {
        return database.withTransaction(
                transaction -> RowLock.<@Nullable QueueDetails>holding(
                        transaction,
                        LOCK,
                        name,
                        Precondition.NONE,
                        () -> changed(transaction, name, () -> change.apply(transaction))
                                .map(queue -> queue),
                        null),
                QueueSettingsStore::isLeft);
    }

    // Waits for transactions that name the queue for a job or an endpoint, which the look that follows then sees. Those
    // that come to the row after this find it deleted, also with an older snapshot: after FOR UPDATE the change counts
    // as one of its key.
    private static final String LOCK_AWAY = "SELECT " + VERSION + """
             AS version, created_at FROM queues
            WHERE name = $1::text AND deleted_at IS NULL AND %s
            FOR UPDATE
            """.formatted(LockTimeout.OF_ONE.condition());

    private static final String DELETE = """
            UPDATE queues
            SET version = %s + 1, updated_at = now(), deleted_at = now(), paused_at = NULL, paused_until = NULL,
                pause_reason = NULL, resumed_at = NULL
            WHERE name = $1::text
            """.formatted(VERSION);

    /**
     * Returns whether there was one; fails with {@link PreconditionFailedException}, and with {@link InUseException}
     * while an endpoint names it, an execution waits or runs in it, or a schedule fires into it. The row stays, so that
     * the executions that have ended keep the name of their queue.
     */
    public Uni<Boolean> delete(String name, Precondition condition) {
        if (name.equals(Queue.DEFAULT.name())) {
            return Uni.createFrom().failure(new InUseException("The queue 'default' cannot be deleted."));
        }
        return WaitingJobs.IN_QUEUE.delete(
                database,
                name,
                condition,
                LOCK_AWAY,
                transaction -> Database.on(transaction, DELETE, Tuple.of(name))
                        .chain(() -> Database.on(transaction, BUMP, Tuple.tuple())));
    }

    private static final String TTLS =
            "SELECT queue_id, ttl_ms FROM queues WHERE ttl_ms IS NOT NULL AND deleted_at IS NULL";

    /** The times to live of the queues that have one, by the numbers of the queues. */
    public Uni<Map<Integer, Duration>> ttls() {
        return database.run(TTLS, Tuple.tuple()).map(rows -> {
            var ttls = new HashMap<Integer, Duration>();
            rows.forEach(row -> ttls.put(row.getInteger("queue_id"), Duration.ofMillis(row.getLong("ttl_ms"))));
            return ttls;
        });
    }

    private static QueueDetails read(Row row) {
        var pausedAt = instantOrNull(row, "paused_at");
        return new QueueDetails(
                row.getString("name"),
                new Settings(
                        row.getInteger("weight"),
                        durationOrNull(row, "aging_ms"),
                        row.getInteger("max_concurrency"),
                        rate(row),
                        durationOrNull(row, "ttl_ms")),
                row.getInteger("version"),
                instant(row, "created_at"),
                instant(row, "updated_at"),
                pausedAt == null
                        ? null
                        : new Pause(pausedAt, instantOrNull(row, "paused_until"), row.getString("pause_reason")));
    }

    private static @Nullable RateLimit rate(Row row) {
        var limit = row.getInteger("rate_limit");
        return limit == null
                ? null
                : new RateLimit(limit, Duration.ofMillis(row.getLong("rate_per_ms")), row.getInteger("rate_burst"));
    }
}
