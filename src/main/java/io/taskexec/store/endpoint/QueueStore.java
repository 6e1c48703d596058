package io.taskexec.store.endpoint;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.queue.Queue;
import io.taskexec.model.queue.QueueDetails;
import io.taskexec.model.queue.QueueShare;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LimitReachedException;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Tells workers which queues run, and finds or creates the queue that an endpoint names. */
@Singleton
public final class QueueStore {
    /** The limit of queues: a claim may have to look at the lanes of all of them. */
    public static final int MAX_QUEUES = 1_000;

    /** The SQL for whether a queue has limits. */
    private static final String HAS_LIMITS = "(max_concurrency IS NOT NULL OR rate_limit IS NOT NULL)";

    private static final Batcher.Limits LOOKS = new Batcher.Limits(500, 20_000, 4);

    private final Database database;
    private final Batcher<UUID, Place> places;

    public QueueStore(Database database) {
        this.database = database;
        this.places = new Batcher<>("executions whose queue is looked at", LOOKS, this::places);
    }

    /**
     * The queues that a worker may claim from.
     *
     * @param queues those that are not paused
     * @param haveKeys whether there are executions with flow keys
     * @param epoch changes whenever a caller changes a queue
     * @param untilPauseEnds until the first pause of another queue ends by itself, at most a day; null when none is
     *     paused
     */
    public record Claimable(
            List<QueueShare> queues,
            boolean haveKeys,
            long epoch,
            @Nullable Duration untilPauseEnds) {}

    private static final String SELECT =
            """
            SELECT e.value AS epoch, q.queue_id, q.is_paused, q.left_ms, q.weight, q.aging_ms, q.is_limited,
              EXISTS (SELECT 1 FROM exec_live WHERE lane < 0) AS have_keys
            FROM epochs e
            LEFT JOIN (SELECT queue_id, weight, coalesce(aging_ms, 0) AS aging_ms, %1$s AS is_paused,
                %2$s OR coalesce(resumed_at > now() - interval '%3$d seconds', false)
                  OR coalesce(paused_until <= now() AND paused_until > now() - interval '%3$d seconds', false)
                  AS is_limited,
                ceil(extract(epoch FROM least(paused_until, now() + interval '1 day') - now()) * 1000)::bigint
                  AS left_ms
              FROM queues WHERE deleted_at IS NULL AND NOT pulled) AS q ON true
            WHERE e.name = 'queues'
            ORDER BY q.queue_id
            """.formatted(Lanes.IS_PAUSED, HAS_LIMITS, QueueDetails.SLOW_START.toSeconds());

    /** Returns the queues that a worker may claim from; a pause whose end has come does not count. */
    public Uni<Claimable> claimable() {
        return database.run(SELECT, Tuple.tuple()).map(QueueStore::readClaimable);
    }

    private static Claimable readClaimable(RowSet<Row> rows) {
        var queues = new ArrayList<QueueShare>();
        var haveKeys = false;
        var epoch = 0L;
        Duration untilPauseEnds = null;
        for (var row : rows) {
            haveKeys = row.getBoolean("have_keys");
            epoch = row.getLong("epoch");
            if (!row.getBoolean("is_paused")) {
                queues.add(new QueueShare(
                        row.getInteger("queue_id"),
                        row.getInteger("weight"),
                        row.getLong("aging_ms"),
                        row.getBoolean("is_limited")));
                continue;
            }
            var left = Duration.ofMillis(row.getLong("left_ms"));
            if (untilPauseEnds == null || left.compareTo(untilPauseEnds) < 0) {
                untilPauseEnds = left;
            }
        }
        return new Claimable(List.copyOf(queues), haveKeys, epoch, untilPauseEnds);
    }

    private static final String SELECT_EPOCH = "SELECT value FROM epochs WHERE name = 'queues'";

    /** The number that changes whenever a caller changes a queue. */
    public Uni<Long> epoch() {
        return database.run(SELECT_EPOCH, Tuple.tuple())
                .map(rows -> rows.iterator().next().getLong("value"));
    }

    /**
     * The queue of an execution that was claimed.
     *
     * @param epoch at the same moment
     * @param isBlocked whether the execution may not begin: its queue is paused, or has limits that count it not
     */
    public record Place(long epoch, boolean isBlocked) {}

    private static final String SELECT_BLOCKED = """
            SELECT e.value AS epoch, blocked.execution_id
            FROM epochs e
            LEFT JOIN (SELECT l.execution_id FROM exec_live l JOIN queues q ON q.queue_id = %s
              WHERE l.execution_id = ANY($1::uuid[]) AND (%s OR (%s AND NOT (l.holds_queue OR l.deferred)))) AS blocked
              ON true
            WHERE e.name = 'queues'
            """.formatted(Lanes.queue("l.lane"), Lanes.IS_PAUSED, HAS_LIMITS);

    /** Tells whether an execution may begin: one statement answers all who ask at the same time. */
    public Uni<Place> placeOf(UUID executionId) {
        return places.submit(executionId);
    }

    private Uni<List<Place>> places(List<UUID> executions) {
        return database.run(SELECT_BLOCKED, Tuple.tuple().addValue(executions.toArray(UUID[]::new)))
                .map(rows -> {
                    var epoch = rows.iterator().next().getLong("epoch");
                    var blocked = blocked(rows);
                    return executions.stream()
                            .map(id -> new Place(epoch, blocked.contains(id)))
                            .toList();
                });
    }

    private static Set<UUID> blocked(RowSet<Row> rows) {
        var blocked = new HashSet<UUID>();
        rows.forEach(row -> {
            var id = row.getUUID("execution_id");
            if (id != null) {
                blocked.add(id);
            }
        });
        return blocked;
    }

    private static final String FIND = "SELECT queue_id FROM queues WHERE name = $1::text AND deleted_at IS NULL";

    /** Returns null when no queue has that name; a number and a name always belong together. */
    public Uni<@Nullable Queue> find(String name) {
        return database.run(FIND, Tuple.of(name))
                .map(rows -> Columns.first(rows, row -> new Queue(row.getInteger("queue_id"), name)));
    }

    // Locks the row of the queue against its deletion, for which this waits; creators, pauses and changes of settings
    // are not in its way. A deletion has locked the row FOR UPDATE before it changed it, so that this looks at the
    // condition anew, also when its snapshot is older.
    private static final String SELECT_ID =
            "SELECT queue_id FROM queues WHERE name = $1::text AND deleted_at IS NULL FOR KEY SHARE";

    // One after the other, for the next number to be free.
    private static final String LOCK = "SELECT queue_id FROM queues WHERE queue_id = 0 FOR UPDATE";

    // A name that was used before gets its number back, since numbers of what has ended stand for it.
    private static final String INSERT = """
            INSERT INTO queues (queue_id, name, pulled)
            SELECT (SELECT max(queue_id) + 1 FROM queues), $1::text, $3::boolean FROM queues
            WHERE deleted_at IS NULL
            HAVING count(*) < $2::bigint
            ON CONFLICT (name) DO UPDATE
            SET version = queues.version + 1, created_at = now(), updated_at = now(), weight = 1, aging_ms = NULL,
                max_concurrency = NULL, rate_limit = NULL, rate_per_ms = NULL, rate_burst = NULL, ttl_ms = NULL,
                paused_at = NULL, paused_until = NULL, pause_reason = NULL, resumed_at = NULL, deleted_at = NULL
            WHERE queues.deleted_at IS NOT NULL
            """;

    /** The queue of that name, which comes into being when it is named for the first time. */
    static Uni<Queue> named(SqlConnection transaction, String name) {
        return find(transaction, name)
                .chain(found -> found == null
                        ? create(transaction, name).chain(() -> find(transaction, name))
                        : Uni.createFrom().item(found))
                .map(found -> {
                    if (found == null) {
                        throw tooMany();
                    }
                    return found;
                });
    }

    static LimitReachedException tooMany() {
        return new LimitReachedException("There are " + MAX_QUEUES + " queues already.");
    }

    /**
     * Creates a queue unless it exists or there are too many, and returns whether it did; locks the row of the default
     * queue first.
     */
    static Uni<Boolean> create(SqlConnection transaction, String name) {
        return Database.on(transaction, LOCK, Tuple.tuple())
                .chain(() ->
                        Database.on(transaction, INSERT, Tuple.of(name, (long) MAX_QUEUES, Queue.isOfWorkers(name))))
                .map(rows -> rows.rowCount() > 0);
    }

    // The creators of jobs hold the row of their endpoint, which is locked against them.
    private static final String DELETE_OF_WORKERS = """
            UPDATE queues
            SET version = version + 1, updated_at = now(), deleted_at = now(), paused_at = NULL, paused_until = NULL,
                pause_reason = NULL, resumed_at = NULL, asked_at = NULL
            WHERE name = $1::text AND deleted_at IS NULL
            """;

    /** Deletes the queue of an endpoint that is being deleted, if it has one of its own. */
    static Uni<Void> deleteOfWorkers(SqlConnection transaction, String endpoint) {
        return Database.on(transaction, DELETE_OF_WORKERS, Tuple.of(Queue.ofWorkers(endpoint)))
                .replaceWithVoid();
    }

    private static Uni<@Nullable Queue> find(SqlConnection transaction, String name) {
        if (name.equals(Queue.DEFAULT.name())) {
            return Uni.createFrom().item(Queue.DEFAULT);
        }
        return Database.on(transaction, SELECT_ID, Tuple.of(name))
                .map(rows -> Columns.first(rows, row -> new Queue(row.getInteger("queue_id"), name)));
    }
}
