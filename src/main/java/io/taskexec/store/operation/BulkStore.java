package io.taskexec.store.operation;

import static io.taskexec.store.sql.Columns.utc;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.Operation;
import io.taskexec.model.job.OperationAction;
import io.taskexec.model.job.ReplayId;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.execution.ReplayStore.Replay;
import io.taskexec.store.execution.Selections;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Conditions;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.LockedException;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Moves operations on, oldest executions first, by one batch in one transaction. Executions that an application keeps
 * locked are passed over: the operation goes on with the others, and then looks at all of them again that come after
 * its position.
 */
@Singleton
public final class BulkStore {
    private static final int MAX_BATCH = 500;
    private static final int BATCHES_PER_SEC = 10;
    private static final int MIN_SEEN = 200;
    private static final int SEEN_PER_CHANGE = 2;
    private static final long MICROS_PER_SEC = 1_000_000;
    private static final long MICROS_BETWEEN_PASSES = MICROS_PER_SEC;

    private static final Duration KNOWN = Duration.ofMinutes(1);
    private static final int MOST_KNOWN = 100;

    private static final Changed NOTHING = new Changed(0, List.of(), List.of());

    private final Database database;
    private final DueSignal dueSignal;
    private final RegionFilter regions;
    private final ReplayStore replays;
    private final FlowReleases flowReleases;
    private final DependencyReleases dependencyReleases;

    /** How far this process has got with operations that have passed over something. Without, it looks again. */
    private final Cache<UUID, UUID> further = Caffeine.newBuilder()
            .maximumSize(MOST_KNOWN)
            .expireAfterWrite(KNOWN)
            .build();

    public BulkStore(
            Database database,
            DueSignal dueSignal,
            RegionFilter regions,
            ReplayStore replays,
            FlowReleases flowReleases,
            DependencyReleases dependencyReleases) {
        this.flowReleases = flowReleases;
        this.dependencyReleases = dependencyReleases;
        this.database = database;
        this.dueSignal = dueSignal;
        this.regions = regions;
        this.replays = replays;
    }

    // The second process waits here and then finds the position moved, or the operation cancelled. Where something was
    // passed over the position stays, and more has been done.
    private static final String LOCK = """
            SELECT operation_id FROM operations
            WHERE operation_id = $1::uuid AND position = $2::uuid AND done = $3::bigint AND status = 'RUNNING'
            FOR UPDATE
            """;

    /** Does the batch after {@code operation}'s position, unless another process has. */
    public Uni<Void> advance(Operation operation) {
        return regions.number()
                .chain(region -> advance(operation, region, false)
                        .onFailure(failure ->
                                failure instanceof LockedException && operation.action() == OperationAction.CANCEL)
                        .recoverWithUni(() -> advance(operation, region, true)))
                .invoke(changed -> flowReleases.request(changed.flowIds()))
                .invoke(changed -> dependencyReleases.request(changed.parents()))
                .invoke(changed -> count(operation, changed.count()))
                .invoke(dueSignal::raise)
                .replaceWithVoid();
    }

    private Uni<Changed> advance(Operation operation, int region, boolean passesOver) {
        var read = Tuple.of(operation.id(), operation.position(), operation.done());
        return database.withTransaction(transaction -> Database.on(transaction, LOCK, read)
                .chain(rows -> rows.rowCount() == 0
                        ? Uni.createFrom().item(NOTHING)
                        : batch(transaction, operation, region, passesOver)));
    }

    private void count(Operation operation, int changed) {
        if (operation.action() == OperationAction.CANCEL) {
            database.metrics().cancelled(changed);
        }
    }

    private Uni<Changed> batch(SqlConnection transaction, Operation operation, int region, boolean passesOver) {
        var known = further.getIfPresent(operation.id());
        return look(transaction, operation, known == null ? operation.position() : known)
                .chain(seen -> unlocked(transaction, seen.wanted(), passesOver).chain(free -> {
                    var isWhole = known == null && free.size() == seen.wanted().size();
                    return change(transaction, operation, free, region)
                            .call(changed -> record(transaction, operation, seen, changed.count(), isWhole));
                }));
    }

    private static final String UNLOCKED = """
            SELECT execution_id FROM exec_live WHERE execution_id = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED
            """;

    /** The executions; with {@code passesOver} without those that are locked. */
    private static Uni<List<UUID>> unlocked(SqlConnection transaction, List<UUID> wanted, boolean passesOver) {
        return passesOver
                ? Database.on(transaction, UNLOCKED, Tuple.tuple().addValue(wanted.toArray(UUID[]::new)))
                        .map(rows -> Columns.list(rows, row -> row.getUUID("execution_id")))
                : Uni.createFrom().item(wanted);
    }

    /** Executions that a batch has changed, and what is to be released when it is committed. */
    private record Changed(int count, List<Long> flowIds, List<UUID> parents) {}

    /**
     * The executions that a batch has looked at.
     *
     * @param wanted what is to be changed
     * @param position the last one that has been looked at
     * @param end whether there are no more
     */
    private record Seen(List<UUID> wanted, UUID position, boolean end) {}

    private static Uni<Seen> look(SqlConnection transaction, Operation operation, UUID from) {
        var conditions = new Conditions().and("e.execution_id > ?::uuid", from);
        Selections.addIndexed(conditions, operation.selection());
        Selections.addLiveStatus(conditions, operation.selection());
        var others = conditions.elsewhere();
        Selections.addOthers(others, operation.selection());
        // What it creates itself, and what fails again, is younger than the operation.
        others.and("e.since < ?::timestamptz", utc(operation.createdAt()));
        var size = size(operation);
        var limit = Math.max(size * SEEN_PER_CHANGE, MIN_SEEN);
        return Database.on(transaction, sql(operation, conditions, others), others.parameters((long) limit))
                .map(rows -> {
                    var wanted = new ArrayList<UUID>();
                    var position = from;
                    for (var row : rows) {
                        if (wanted.size() == size) {
                            return new Seen(wanted, position, false);
                        }
                        position = row.getUUID("execution_id");
                        if (row.getBoolean("wanted")) {
                            wanted.add(position);
                        }
                    }
                    return new Seen(wanted, position, rows.rowCount() < limit);
                });
    }

    /** How many executions one batch changes: as many as the rate allows in a tenth of a second. */
    private static int size(Operation operation) {
        var size = Math.clamp(operation.ratePerSec() / BATCHES_PER_SEC, 1, MAX_BATCH);
        var max = operation.max();
        return max == null ? size : Math.clamp(max - operation.done(), 0, size);
    }

    // A rare condition must not make one statement walk through everything, so that the rows to look at are bounded.
    private static String sql(Operation operation, Conditions indexed, Conditions others) {
        var source = switch (operation.action()) {
            case RETRY -> "e.completed_at AS since FROM executions e\n" + indexed.where();
            case CANCEL -> "e.created_at AS since FROM exec_live e\n" + indexed.where();
        };
        return "WITH seen AS MATERIALIZED (\nSELECT e.execution_id, e.job_id, e.lane, " + source
                + "ORDER BY e.execution_id LIMIT " + others.next() + "::bigint)\n"
                + "SELECT e.execution_id, " + others.all() + " AS wanted FROM seen e ORDER BY e.execution_id";
    }

    private Uni<Changed> change(SqlConnection transaction, Operation operation, List<UUID> wanted, int region) {
        if (wanted.isEmpty()) {
            return Uni.createFrom().item(NOTHING);
        }
        return switch (operation.action()) {
            case RETRY -> {
                var all = wanted.stream()
                        .map(id -> new Replay(id, ReplayId.of(operation.id(), id)))
                        .toList();
                var again = Boolean.TRUE.equals(operation.selection().retried());
                yield replays.replay(transaction, all, again, region)
                        .map(count -> new Changed(count, List.of(), List.of()));
            }
            case CANCEL ->
                CancelStore.cancelWaiting(database, transaction, wanted)
                        .map(cancelled -> new Changed(cancelled.count(), cancelled.flowIds(), cancelled.parents()));
        };
    }

    // What was not done for a second or longer is not made up for.
    private static final String RECORD = """
            UPDATE operations
            SET position = $2::uuid, done = done + $3::bigint, skipped = skipped + $4::bigint, failures = 0,
                started_at = coalesce(started_at, now()),
                next_at = greatest(next_at, now() - interval '1 second') + $5::bigint * interval '1 microsecond',
                status = CASE WHEN $6::boolean THEN 'SUCCEEDED' ELSE status END,
                ended_at = CASE WHEN $6::boolean THEN now() END
            WHERE operation_id = $1::uuid
            """;

    /** @param isWhole whether nothing was passed over, so that the position moves */
    private Uni<Void> record(SqlConnection transaction, Operation operation, Seen seen, int changed, boolean isWhole) {
        var max = operation.max();
        var end = (isWhole && seen.end()) || (max != null && operation.done() + changed >= max);
        var pause = seen.wanted().size() * MICROS_PER_SEC / operation.ratePerSec();
        if (!isWhole && seen.end()) {
            further.invalidate(operation.id());
            pause += MICROS_BETWEEN_PASSES;
        } else if (!isWhole) {
            further.put(operation.id(), seen.position());
        }
        var parameters = Tuple.tuple()
                .addValue(operation.id())
                .addValue(isWhole ? seen.position() : operation.position())
                .addValue((long) changed)
                .addValue(isWhole ? (long) seen.wanted().size() - changed : 0L)
                .addValue(pause)
                .addValue(end);
        return Database.on(transaction, RECORD, parameters).replaceWithVoid();
    }
}
