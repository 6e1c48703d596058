package io.taskexec.store.endpoint;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LockTimeout;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.function.Function;

/**
 * Finds jobs that are not finished and stay on an older version of their endpoint, which may need what the current one
 * does not. Deletes are rare, so these may look at every waiting job.
 *
 * <p>A job that is just being created on such a version cannot be seen yet. So before that, {@link #settle} waits for
 * all that are under way, and afterwards no job can get such a version. It is a transaction of its own, since the look
 * at the waiting jobs may take long, and nothing can be created for the locked endpoints meanwhile.
 */
public record WaitingJobs(String look, String waiting, String lock, String count, String settled) {
    private static final long UNSETTLED = -1;
    private static final String USED = "An endpoint uses it.";

    /** Jobs that need a config. */
    static final WaitingJobs OF_CONFIG = thatNeed(
            "configs", "v.config_ref = $1::text", "EXISTS (SELECT 1 FROM endpoints WHERE config_ref = $1::text)");

    /** Jobs that need a secret. */
    static final WaitingJobs OF_SECRET = thatNeed(
            "secrets",
            "$1::text = ANY(v.secret_refs)",
            "EXISTS (SELECT 1 FROM endpoint_secrets WHERE secret = $1::text)");

    /** Jobs that wait in a queue, whatever version of their endpoint they are on. */
    static final WaitingJobs IN_QUEUE = inQueue();

    private static WaitingJobs inQueue() {
        var id = "(SELECT q.queue_id FROM queues q WHERE q.name = $1::text AND q.deleted_at IS NULL)";
        var versions = "v.queue_id = " + id;
        var endpoint = """
                EXISTS (SELECT 1 FROM endpoints e JOIN endpoint_versions v ON v.name = e.name AND v.version = e.version
                  WHERE %s)""".formatted(versions);
        var look = """
                SELECT %s AS version, created_at, %s AS used FROM queues
                WHERE name = $1::text AND deleted_at IS NULL
                """.formatted(QueueSettingsStore.VERSION, endpoint);
        // The lanes of a queue follow each other, with and without flow keys, so that the index of claims finds them.
        var waiting =
                """
                SELECT 1 FROM exec_live l, LATERAL (SELECT %1$s AS first) AS lanes
                WHERE l.lane BETWEEN lanes.first AND lanes.first + %2$d
                  OR l.lane BETWEEN lanes.first - %3$d AND lanes.first - %3$d + %2$d
                UNION ALL
                SELECT 1 FROM schedules s JOIN jobs j ON j.job_id = s.job_id
                WHERE %4$s = %5$s
                  AND (s.next_run_at IS NOT NULL OR s.buffered_tick IS NOT NULL OR j.retired_at IS NULL)
                LIMIT 1
                """.formatted(Lanes.firstOfQueue(id), Lanes.PER_QUEUE - 1, Lanes.KEYED, Lanes.queue("j.lane"), id);
        return of(look, waiting, versions, endpoint);
    }

    private static WaitingJobs thatNeed(String table, String version, String endpoint) {
        var look = "SELECT version, created_at, %s AS used FROM %s WHERE name = $1::text".formatted(endpoint, table);
        // A replay is on the version that was current when it was asked for. Its id is not that of its job, as the
        // index
        // has it that finds it.
        var waiting = """
                SELECT 1
                FROM endpoint_versions v
                JOIN jobs j ON j.endpoint = v.name AND j.endpoint_version = v.version
                WHERE (EXISTS (SELECT 1 FROM exec_live l WHERE l.job_id = j.job_id)
                    OR EXISTS (SELECT 1 FROM schedules s WHERE s.job_id = j.job_id
                      AND (s.next_run_at IS NOT NULL OR s.buffered_tick IS NOT NULL OR j.retired_at IS NULL)))
                  AND %1$s
                UNION ALL
                SELECT 1
                FROM exec_live l
                JOIN jobs j ON j.job_id = l.job_id
                JOIN endpoint_versions v ON v.name = j.endpoint AND v.version = l.endpoint_version
                WHERE l.execution_id <> l.job_id AND l.endpoint_version IS NOT NULL AND %1$s
                LIMIT 1
                """.formatted(version);
        return of(look, waiting, version, endpoint);
    }

    private static WaitingJobs of(String look, String waiting, String version, String endpoint) {
        var lock = """
                SELECT e.name FROM endpoints e
                WHERE EXISTS (SELECT 1 FROM endpoint_versions v WHERE v.name = e.name AND %s)
                  AND %s
                ORDER BY e.name
                FOR UPDATE OF e
                """.formatted(version, LockTimeout.OF_ONE.condition());
        var count = "SELECT count(*) AS versions FROM endpoint_versions v WHERE " + version;
        var settled = "SELECT CASE WHEN %s THEN %d ELSE (%s) END AS versions".formatted(endpoint, UNSETTLED, count);
        return new WaitingJobs(look, waiting, lock, count, settled);
    }

    // Changes nothing, but makes a creator that began before the current version was there, and comes to its lock after
    // this, look at the row anew: PostgreSQL lets it pass otherwise, since a new version is not in its way.
    private static final String TOUCH = "UPDATE endpoints SET updated_at = updated_at WHERE name = ANY($1::text[])";

    /**
     * Deletes what has this name; returns whether there was one. Fails with {@link PreconditionFailedException}, and
     * with {@link InUseException} while an endpoint uses it or jobs wait that need it.
     *
     * @param lockSql locks its row, for {@code delete}
     */
    Uni<Boolean> delete(
            Database database,
            String name,
            Precondition condition,
            String lockSql,
            Function<SqlConnection, Uni<RowSet<Row>>> delete) {
        return look(database, name, condition)
                .chain(isThere -> isThere
                        ? deleteUnused(database, name, condition, lockSql, delete)
                        : Uni.createFrom().item(false));
    }

    private Uni<Boolean> deleteUnused(
            Database database,
            String name,
            Precondition condition,
            String lockSql,
            Function<SqlConnection, Uni<RowSet<Row>>> delete) {
        return settle(database, name)
                .chain(versions -> database.withTransaction(
                        transaction -> RowLock.holding(
                                transaction,
                                lockSql,
                                name,
                                condition,
                                () -> refuse(transaction, name, versions)
                                        .chain(() -> delete.apply(transaction))
                                        .replaceWith(true),
                                false),
                        (transaction, _) -> RowLock.isGone(transaction, lockSql, name)));
    }

    /**
     * Returns whether there is something of this name. Fails with {@link PreconditionFailedException}, and with
     * {@link InUseException} while an endpoint uses it, so that no creation of a job waits for a deletion that is
     * refused.
     */
    private Uni<Boolean> look(Database database, String name, Precondition condition) {
        return database.run(look, Tuple.of(name)).map(rows -> {
            RowLock.check(rows, condition);
            rows.forEach(row -> {
                if (row.getBoolean("used")) {
                    throw new InUseException(USED);
                }
            });
            return rows.rowCount() > 0;
        });
    }

    /**
     * Waits until no job is being created on a version that needs what has this name. Returns how many such versions
     * there are, for {@link #refuse}. A rehearsal only counts: it would keep the locks while it looks at the waiting
     * jobs.
     */
    Uni<Long> settle(Database database, String name) {
        if (database.isRehearsal()) {
            return database.run(settled, Tuple.of(name)).map(WaitingJobs::versions);
        }
        return database.withTransaction(transaction -> Database.on(transaction, lock, Tuple.of(name))
                .map(rows -> Columns.list(rows, row -> row.getString("name")))
                .chain(endpoints ->
                        Database.on(transaction, TOUCH, Tuple.tuple().addValue(endpoints.toArray(String[]::new))))
                .chain(() -> Database.on(transaction, settled, Tuple.of(name)))
                .map(WaitingJobs::versions));
    }

    /**
     * Fails with {@link InUseException} while a job waits that needs what has this name, or when an endpoint has or had
     * a version that does since it was settled. What is to be deleted must be locked.
     */
    Uni<Void> refuse(SqlConnection transaction, String name, long settledVersions) {
        return Database.on(transaction, count, Tuple.of(name))
                .invoke(rows -> {
                    if (versions(rows) != settledVersions) {
                        throw new InUseException(USED);
                    }
                })
                .chain(() -> Database.on(transaction, waiting, Tuple.of(name)))
                .invoke(WaitingJobs::refuseIfAny)
                .replaceWithVoid();
    }

    private static long versions(RowSet<Row> rows) {
        return rows.iterator().next().getLong("versions");
    }

    private static void refuseIfAny(RowSet<Row> waiting) {
        if (waiting.rowCount() > 0) {
            throw new InUseException("Jobs that are not finished need it.");
        }
    }
}
