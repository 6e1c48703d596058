package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.store.flow.FlowPlaces;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.KeyBatcher;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LockTimeout;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Changes one-shot jobs of which no attempt has begun. The execution keeps its row, and gets the version of the job as
 * its revision: a claim that has read the job as it was before finds that they differ, and reads it again.
 */
@Singleton
public final class JobUpdateStore {
    private final Database database;
    private final DueSignal dueSignal;
    private final FlowReleases flowReleases;

    private final KeyBatcher<Change, Result> changes = new KeyBatcher<>(
            "jobs to be changed",
            KeyBatcher.SINGLE,
            change -> change.job().id(),
            (change, timeout) -> update(change.getFirst(), timeout).map(List::of));

    /** @param logId of the line about it, by which it is found again */
    private record Change(NewJob job, int version, boolean isRetimed, UUID logId) {}

    public JobUpdateStore(Database database, DueSignal dueSignal, FlowReleases flowReleases) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.flowReleases = flowReleases;
    }

    /** The result of a change. */
    public enum Result {
        CHANGED,
        /** The job is not as it was read: it is to be read again. */
        OUTDATED,
        /** An attempt has begun, or the execution has ended. */
        BEGUN,
        /** The endpoint, its payload spec or the queue has changed or gone since the request was checked. */
        STALE
    }

    // Both rows, since the state is in both: after a wait, only rows that are locked are read anew. They are locked in
    // the order in which a job that takes the key of this one locks them.
    private static final String LOCK = """
            SELECT j.version, j.tags, j.lane, now() AS now, l.run_at, l.ready_delay_ms, l.flow_id, l.flow_state,
                   l.attempt = 0 AND l.lease_token IS NULL AND NOT l.deferred AND coalesce(l.trigger_rule, 0) <> 8
                     AS is_unbegun
            FROM exec_live l JOIN jobs j ON j.job_id = l.execution_id
            WHERE j.job_id = $1::uuid AND %s
            FOR NO KEY UPDATE
            """.formatted(LockTimeout.OF_MANY.condition());

    /** A job and its execution, which are locked. */
    private record Locked(
            int version,
            List<String> tags,
            int lane,
            Instant now,
            Instant runAt,
            @Nullable Long readyDelayMillis,
            @Nullable Long flowId,
            int flowState,
            boolean isUnbegun) {
        static Locked read(Row row) {
            var tags = row.getArrayOfStrings("tags");
            return new Locked(
                    row.getInteger("version"),
                    tags == null ? List.of() : List.of(tags),
                    row.getInteger("lane"),
                    instant(row, "now"),
                    instant(row, "run_at"),
                    row.getLong("ready_delay_ms"),
                    row.getLong("flow_id"),
                    row.getInteger("flow_state"),
                    row.getBoolean("is_unbegun"));
        }

        /**
         * A job gives the place of its key, which one that has its turn or was given back has, to the next one of that
         * key: when it has another key now, or is put off, so that they begin by {@code run_at}.
         */
        boolean leavesPlace(@Nullable Long newFlowId, Instant newRunAt) {
            var isPutOff = newRunAt.isAfter(now) && !newRunAt.equals(runAt);
            return flowState == HOLDS_PLACE && (isPutOff || !Objects.equals(flowId, newFlowId));
        }
    }

    private static final int PARKED = 1;
    private static final int HOLDS_PLACE = 2;

    /**
     * Makes a job what {@code job} is, which has its id, key and parents.
     *
     * @param version that was read
     * @param isRetimed whether its time changes as well
     */
    public Uni<Result> update(NewJob job, int version, boolean isRetimed) {
        return changes.submit(new Change(job, version, isRetimed, UUID.randomUUID()));
    }

    private Uni<Result> update(Change change, LockTimeout timeout) {
        return database.withTransaction(
                        transaction -> lock(transaction, change, timeout)
                                .map(rows -> Columns.first(rows, Locked::read))
                                .chain(locked -> update(transaction, change, locked)),
                        // The lock waits for a commit that is under way.
                        (transaction, _) -> lock(transaction, change, timeout)
                                .chain(() -> Database.on(
                                        transaction,
                                        SELECT_LOG,
                                        Tuple.of(change.job().id(), change.logId())))
                                .map(rows -> rows.rowCount() > 0))
                .invoke(this::follow)
                .map(Done::result);
    }

    private static Uni<RowSet<Row>> lock(SqlConnection transaction, Change change, LockTimeout timeout) {
        return Database.on(transaction, timeout.in(LOCK), Tuple.of(change.job().id()));
    }

    /**
     * The result of a change, and what follows from it once that is committed.
     *
     * @param leftLine the flow key in whose line it was, or whose place it had; null for none
     * @param runAt when it is due now; null when nothing has changed
     * @param isMoved whether it is in another lane now
     */
    private record Done(
            Result result,
            @Nullable Long leftLine,
            @Nullable Instant runAt,
            boolean isMoved) {
        static Done nothing(Result result) {
            return new Done(result, null, null, false);
        }
    }

    private void follow(Done done) {
        var left = done.leftLine();
        if (left != null) {
            // A release that came at the same time has passed over it.
            flowReleases.request(List.of(left));
        }
        var runAt = done.runAt();
        if (runAt != null && runAt.isBefore(ProgramClock.now().plus(DueSignal.HORIZON))) {
            // It may have been due for long when it came into its lane.
            dueSignal.raiseFor(done.isMoved() ? DueSignal.ANYTHING : DueSignal.EXECUTIONS);
        }
    }

    private static Uni<Done> update(SqlConnection transaction, Change change, @Nullable Locked locked) {
        var job = change.job();
        if (locked == null || !locked.isUnbegun()) {
            return Uni.createFrom().item(Done.nothing(Result.BEGUN));
        }
        return locked.version() == change.version()
                ? isCurrent(transaction, job)
                        .chain(current -> current
                                ? write(transaction, change, locked)
                                : Uni.createFrom().item(Done.nothing(Result.STALE)))
                : Uni.createFrom().item(Done.nothing(Result.OUTDATED));
    }

    // As at a creation: the job fits the version that its input was checked against, and the locks keep the endpoint
    // and the queue from being deleted until this is committed.
    private static final String LOCK_ENDPOINT = """
            SELECT e.name FROM endpoints e LEFT JOIN payload_specs p ON p.name = e.payload_spec_ref
            WHERE e.name = $1::text AND e.version = $2::int AND coalesce(p.version, 0) = $3::int
            FOR KEY SHARE OF e
            """;

    private static final String LOCK_QUEUE = """
            SELECT queue_id FROM queues WHERE queue_id = $1::int AND deleted_at IS NULL FOR KEY SHARE
            """;

    private static Uni<Boolean> isCurrent(SqlConnection transaction, NewJob job) {
        return Database.on(
                        transaction,
                        LOCK_ENDPOINT,
                        Tuple.of(job.endpoint(), job.endpointVersion(), job.payloadSpecVersion()))
                .chain(endpoints -> endpoints.size() == 0 || !job.namesQueue()
                        ? Uni.createFrom().item(endpoints.size() > 0)
                        : Database.on(transaction, LOCK_QUEUE, Tuple.of(job.queueId()))
                                .map(queues -> queues.size() > 0));
    }

    private static final String UPDATE_JOB = """
            UPDATE jobs
            SET version = version + 1, endpoint_version = $2::int, trigger_type = $3::text, lane = $4::int,
                input = $5::text::json, tags = string_to_array($6::text, ','), options = $7::text::json,
                ttl_ms = $8::bigint, expires_at = $9::timestamptz, deadline = $10::timestamptz, flow_id = $11::bigint,
                flow_key = $12::text
            WHERE job_id = $1::uuid
            """;

    // The claim decides whether it waits in the line of its key. It keeps its turn in the lane where its time stays.
    // While it waits for its parents, its time to live has not begun.
    private static final String UPDATE_EXECUTION = """
            UPDATE exec_live live
            SET revision = $2::int, endpoint_version = $3::int, lane = $4::int, run_at = $5::timestamptz,
                visible_at = CASE
                  WHEN live.trigger_rule IS NOT NULL
                    OR (live.run_at = $5::timestamptz AND live.visible_at <> 'infinity') THEN live.visible_at
                  ELSE greatest($5::timestamptz, now()) END,
                ready_delay_ms = $6::bigint,
                expires_at = least(coalesce($7::timestamptz, CASE WHEN live.trigger_rule IS NULL
                  THEN $5::timestamptz + $8::bigint * interval '1 millisecond' END), $9::timestamptz),
                deadline = $9::timestamptz, flow_id = $10::bigint,
                flow_line = CASE WHEN $10::bigint IS NULL THEN NULL
                  WHEN EXISTS (SELECT 1 FROM flow_policies p WHERE p.endpoint = $11::text AND p.fifo) THEN 0
                  ELSE $4::int & 7 END::smallint,
                flow_state = CASE WHEN $10::bigint IS NULL THEN 0 WHEN live.trigger_rule IS NOT NULL THEN %d
                  WHEN live.flow_state = 2 AND NOT $12::boolean THEN 2 ELSE 0 END::smallint
            WHERE live.execution_id = $1::uuid
            """.formatted(FlowPlaces.WAITS_FOR_PARENTS);

    // The row of the execution is locked before, as by all that give a place back. A release is noted in case that we
    // die before it.
    private static final String LEAVE_PLACE = """
            UPDATE flow_limits
            SET open = open - 1, release_at = CASE WHEN lined THEN least(release_at, now()) ELSE release_at END
            WHERE flow_id = $1::bigint
            """;

    private static final String LOG = """
            INSERT INTO execution_logs (execution_id, log_id, region, attempt_number, level, message, logged_at)
            SELECT execution_id, $3::uuid, region, 0, 'INFO', 'changed: version ' || $2::text, now()
            FROM exec_live WHERE execution_id = $1::uuid
            """;

    private static final String SELECT_LOG =
            "SELECT log_id FROM execution_logs WHERE execution_id = $1::uuid AND log_id = $2::uuid";

    private static Uni<Done> write(SqlConnection transaction, Change change, Locked locked) {
        var job = change.job();
        var isRetimed = change.isRetimed();
        var lane = job.lane(Lanes.region(locked.lane()));
        var version = locked.version() + 1;
        var runAt = isRetimed ? runAt(job, locked.now()) : locked.runAt();
        var flow = job.flow();
        var flowId = flow == null ? null : flow.id();
        var leavesPlace = locked.leavesPlace(flowId, runAt);
        var expiry = job.expiry();
        var updateJob = Tuple.tuple()
                .addUUID(job.id())
                .addInteger(job.endpointVersion())
                .addString(job.trigger())
                .addInteger(lane)
                .addString(job.storedInput())
                .addString(job.joinedTags())
                .addString(job.storedOptions())
                .addLong(job.ttlMillis())
                .addValue(utc(expiry.expiresAt()))
                .addValue(utc(expiry.deadline()))
                .addLong(flowId)
                .addString(flow == null ? null : flow.key());
        var updateExecution = Tuple.tuple()
                .addUUID(job.id())
                .addInteger(version)
                .addInteger(job.endpointVersion())
                .addInteger(lane)
                .addValue(utc(runAt))
                .addLong(isRetimed ? job.readyDelayMillis() : locked.readyDelayMillis())
                .addValue(utc(expiry.expiresAt()))
                .addLong(job.ttlMillis())
                .addValue(utc(expiry.deadline()))
                .addLong(flowId)
                .addString(job.endpoint())
                .addBoolean(leavesPlace);
        return Database.on(transaction, UPDATE_JOB, updateJob)
                .chain(() -> Database.on(transaction, UPDATE_EXECUTION, updateExecution))
                .chain(() -> leavesPlace
                        ? Database.on(transaction, LEAVE_PLACE, Tuple.of(locked.flowId()))
                                .replaceWithVoid()
                        : Uni.createFrom().voidItem())
                .chain(() -> changeTags(transaction, job, locked.tags()))
                .chain(() ->
                        Database.on(transaction, LOG, Tuple.of(job.id(), Integer.toString(version), change.logId())))
                .replaceWith(new Done(
                        Result.CHANGED,
                        leavesPlace || locked.flowState() == PARKED ? locked.flowId() : null,
                        runAt,
                        lane != locked.lane()));
    }

    private static Instant runAt(NewJob job, Instant now) {
        var runAt = job.runAt();
        return runAt == null ? now.plus(job.delay()) : runAt;
    }

    private static final String DELETE_TAGS = "DELETE FROM job_tags WHERE job_id = $1::uuid AND tag = ANY($2::text[])";

    private static final String ADD_TAGS = "INSERT INTO job_tags (tag, job_id) SELECT unnest($2::text[]), $1::uuid";

    private static Uni<Void> changeTags(SqlConnection transaction, NewJob job, List<String> before) {
        if (job.tags().equals(Set.copyOf(before))) {
            return Uni.createFrom().voidItem();
        }
        return Database.on(transaction, DELETE_TAGS, Tuple.of(job.id(), before.toArray(String[]::new)))
                .chain(() -> Database.on(
                        transaction, ADD_TAGS, Tuple.of(job.id(), job.tags().toArray(String[]::new))))
                .replaceWithVoid();
    }
}
