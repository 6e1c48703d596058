package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.KeyBatcher;
import io.taskexec.store.sql.LockTimeout;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Creates one-shot jobs that take the keys of others, which end as SUPERSEDED unless they have begun (debounce). Those
 * of many callers go in one transaction, each key once.
 */
@Singleton
public final class JobReplacement {
    private static final Batcher.Limits LIMITS = new Batcher.Limits(256, 10_000, 1);

    /** How often a key that others take at the same time is tried. */
    private static final int MAX_TRIES = 10;

    private final Database database;
    private final JobCreator creator;
    private final FlowReleases flowReleases;
    private final DependencyReleases dependencyReleases;
    private final KeyBatcher<Replacement, Replaced> batcher;
    private final String supersede;

    public JobReplacement(
            Database database, JobCreator creator, FlowReleases flowReleases, DependencyReleases dependencyReleases) {
        this.database = database;
        this.creator = creator;
        this.flowReleases = flowReleases;
        this.dependencyReleases = dependencyReleases;
        this.supersede = database.form(CancelStore.SUPERSEDE);
        this.batcher = new KeyBatcher<>("jobs to take keys", LIMITS, Replacement::key, this::replaceAll);
    }

    /**
     * A job that takes the key of another one.
     *
     * @param maxWait how long the jobs of a key may be put off, from the creation of the first that was superseded on
     * @param done the result once it is committed: what fails later in the same batch runs again without it
     */
    private record Replacement(NewJob job, @Nullable Duration maxWait, AtomicReference<@Nullable Replaced> done) {
        NewJob.Key key() {
            return job.key();
        }
    }

    /**
     * The result of a replacement.
     *
     * @param superseded the job that will not run; null for none
     */
    public record Replaced(Result result, @Nullable UUID superseded) {}

    /** Creates a job, whichever job has its key. */
    public Uni<Replaced> replace(NewJob job, @Nullable Duration maxWait) {
        return batcher.submit(new Replacement(job, maxWait, new AtomicReference<>()));
    }

    // One round for each time that a key is named, so that its jobs replace each other in their order.
    private Uni<List<Replaced>> replaceAll(List<Replacement> replacements, LockTimeout timeout) {
        var rounds = new ArrayList<List<Replacement>>();
        var times = new HashMap<NewJob.Key, Integer>();
        for (var replacement :
                replacements.stream().filter(it -> it.done().get() == null).toList()) {
            var round = times.merge(replacement.key(), 1, Integer::sum) - 1;
            if (round == rounds.size()) {
                rounds.add(new ArrayList<>());
            }
            rounds.get(round).add(replacement);
        }
        var all = Uni.createFrom().voidItem();
        for (var round : rounds) {
            all = all.chain(() -> replaceOnce(round, timeout, MAX_TRIES));
        }
        return all.map(_ -> replacements.stream()
                .map(it -> Objects.requireNonNullElse(it.done().get(), new Replaced(new Result.Stale(), null)))
                .toList());
    }

    /** Jobs whose endpoint or queue has changed or gone, so that they must not take the keys of others. */
    private static final class StaleException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient List<UUID> ids;

        StaleException(List<UUID> ids) {
            super("jobs are out of date", null, false, false);
            this.ids = ids;
        }
    }

    private Uni<Void> replaceOnce(List<Replacement> round, LockTimeout timeout, int triesLeft) {
        return creator.region()
                .chain(region -> database.withTransaction(
                        transaction -> timeout.set(transaction).chain(() -> replace(transaction, round, region)),
                        (transaction, _) -> Database.on(transaction, SELECT_CREATED, ids(round))
                                .map(rows -> rows.rowCount() > 0)))
                .invoke(this::follow)
                .chain(done -> creator.results(jobs(round), done.written())
                        .map(results -> note(round, results, done, triesLeft > 0)))
                .onFailure(StaleException.class)
                .recoverWithItem(failure -> without(round, failure.ids))
                .chain(lost ->
                        lost.isEmpty() ? Uni.createFrom().voidItem() : replaceOnce(lost, timeout, triesLeft - 1));
    }

    private static final String SELECT_CREATED = "SELECT job_id FROM jobs WHERE job_id = ANY($1::uuid[]) LIMIT 1";

    private static Tuple ids(List<Replacement> round) {
        return Tuple.tuple().addValue(round.stream().map(it -> it.job().id()).toArray(UUID[]::new));
    }

    /** Notes the results; returns those whose key another job has taken at the same time, if they may try again. */
    private static List<Replacement> note(
            List<Replacement> round, List<Result> results, Done done, boolean mayTryAgain) {
        var lost = new ArrayList<Replacement>();
        for (var i = 0; i < round.size(); i++) {
            var id = round.get(i).job().id();
            if (mayTryAgain
                    && results.get(i) instanceof Result.Duplicate(var owner, var _)
                    && !done.schedules().contains(owner)) {
                lost.add(round.get(i));
            } else {
                round.get(i)
                        .done()
                        .set(new Replaced(results.get(i), done.superseded().get(id)));
            }
        }
        return lost;
    }

    private static List<Replacement> without(List<Replacement> round, List<UUID> ids) {
        return round.stream().filter(it -> !ids.contains(it.job().id())).toList();
    }

    private static List<NewJob> jobs(List<Replacement> replacements) {
        return replacements.stream().map(Replacement::job).toList();
    }

    // Who creates a job with one of the keys waits for these locks, or we for its commit. They are taken in the order
    // in which keys are created.
    private static final String LOCK_KEYS = """
            SELECT k.endpoint, k.idempotency_key, k.job_id, coalesce(k.first_at, k.created_at) AS first_at,
                   now() AS now, EXISTS (SELECT 1 FROM schedules s WHERE s.job_id = k.job_id) AS is_schedule
            FROM idempotency_keys k
            JOIN unnest($1::text[], $2::text[]) AS n(endpoint, key)
              ON n.endpoint = k.endpoint AND n.key = k.idempotency_key
            WHERE %s
            ORDER BY k.endpoint, k.idempotency_key
            FOR UPDATE OF k
            """.formatted(LockTimeout.OF_MANY.condition());

    /** The job that has a key. */
    private record Holder(UUID jobId, Instant firstAt, Instant now, boolean isSchedule) {
        static Holder read(Row row) {
            return new Holder(
                    row.getUUID("job_id"),
                    instant(row, "first_at"),
                    instant(row, "now"),
                    row.getBoolean("is_schedule"));
        }
    }

    // A join finds each key at once; arrays would be looked up in all their combinations. It loses no key that another
    // transaction changes meanwhile, since LOCK_KEYS has locked them all.
    private static final String DELETE_KEYS = """
            DELETE FROM idempotency_keys k
            USING unnest($1::text[], $2::text[], $3::uuid[]) AS n(endpoint, key, job_id)
            WHERE k.endpoint = n.endpoint AND k.idempotency_key = n.key AND k.job_id = n.job_id
            """;

    // The old job tells which one runs in its place, and the key since when its jobs have been put off.
    private static final String LINK = """
            WITH taken AS (
              SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS taken(old_id, new_id, first_at)
            ), linked AS (
              UPDATE jobs j SET replaced_by_id = taken.new_id FROM taken WHERE j.job_id = taken.old_id
            )
            UPDATE idempotency_keys k SET first_at = taken.first_at
            FROM taken JOIN jobs j ON j.job_id = taken.old_id
            WHERE k.endpoint = j.endpoint AND k.idempotency_key = j.idempotency_key AND k.job_id = taken.new_id
            """;

    /**
     * The result of a transaction.
     *
     * @param schedules whose keys are not taken
     * @param superseded by the job that took the key
     * @param ended the answer about them
     */
    private record Done(
            JobCreator.Written written, List<UUID> schedules, Map<UUID, UUID> superseded, RowSet<Row> ended) {}

    private Uni<Done> replace(SqlConnection transaction, List<Replacement> round, int region) {
        return Database.on(transaction, LOCK_KEYS, keys(round)).chain(rows -> {
            var holders = new HashMap<NewJob.Key, Holder>();
            rows.forEach(row -> holders.put(
                    new NewJob.Key(row.getString("endpoint"), row.getString("idempotency_key")), Holder.read(row)));
            // With our own id under the key this is run again, since the answer to the commit was lost.
            var open = round.stream()
                    .filter(it -> !(holders.get(it.key()) instanceof Holder(var id, var _, var _, var isSchedule))
                            || !(isSchedule || id.equals(it.job().id())))
                    .toList();
            return replace(transaction, open, holders, region);
        });
    }

    private Uni<Done> replace(
            SqlConnection transaction, List<Replacement> open, Map<NewJob.Key, Holder> holders, int region) {
        var taken = open.stream().filter(it -> holders.containsKey(it.key())).toList();
        var old = taken.stream().map(it -> held(holders, it).jobId()).toArray(UUID[]::new);
        return Database.on(transaction, supersede, Tuple.tuple().addValue(old)).chain(ended -> {
            var superseded = superseded(taken, holders, ended);
            var jobs = open.stream()
                    .map(it -> superseded.containsKey(it.job().id()) ? timed(it, held(holders, it)) : timed(it))
                    .toList();
            return Database.on(transaction, DELETE_KEYS, keys(taken).addValue(old))
                    .chain(() -> creator.insert(transaction, jobs, region))
                    .call(written -> checkAll(taken, written))
                    .call(() -> link(transaction, taken, holders, superseded))
                    .map(written -> new Done(written, schedules(holders), superseded, ended));
        });
    }

    private static Holder held(Map<NewJob.Key, Holder> holders, Replacement replacement) {
        return Objects.requireNonNull(holders.get(replacement.key()));
    }

    private static List<UUID> schedules(Map<NewJob.Key, Holder> holders) {
        return holders.values().stream()
                .filter(Holder::isSchedule)
                .map(Holder::jobId)
                .toList();
    }

    /** A job that is not created must not end another one. */
    private static Uni<Void> checkAll(List<Replacement> taken, JobCreator.Written written) {
        var stale = taken.stream()
                .map(it -> it.job().id())
                .filter(id -> !written.results().containsKey(id))
                .toList();
        return stale.isEmpty() ? Uni.createFrom().voidItem() : Uni.createFrom().failure(new StaleException(stale));
    }

    /** The first job, which is put off no longer than it may. */
    private static NewJob timed(Replacement replacement) {
        var job = replacement.job();
        var maxWait = replacement.maxWait();
        if (maxWait == null) {
            return job;
        }
        var runAt = job.runAt();
        var isLate = runAt == null
                ? job.delay().compareTo(maxWait) > 0
                : runAt.isAfter(ProgramClock.now().plus(maxWait));
        return isLate ? job.at(null, maxWait, job.expiry()) : job;
    }

    /** The same for one that follows others. */
    private static NewJob timed(Replacement replacement, Holder holder) {
        var job = replacement.job();
        var maxWait = replacement.maxWait();
        if (maxWait == null) {
            return job;
        }
        var runAt = job.runAt() == null ? holder.now().plus(job.delay()) : job.runAt();
        var latest = holder.firstAt().plus(maxWait);
        return runAt.isAfter(latest) ? job.at(latest, Duration.ZERO, job.expiry()) : job;
    }

    private static Map<UUID, UUID> superseded(
            List<Replacement> taken, Map<NewJob.Key, Holder> holders, RowSet<Row> ended) {
        var ids = new HashSet<UUID>();
        ended.forEach(row -> ids.add(row.getUUID("execution_id")));
        var superseded = new LinkedHashMap<UUID, UUID>();
        taken.forEach(it -> {
            var old = held(holders, it).jobId();
            if (ids.contains(old)) {
                superseded.put(it.job().id(), old);
            }
        });
        return superseded;
    }

    private static Uni<Void> link(
            SqlConnection transaction,
            List<Replacement> taken,
            Map<NewJob.Key, Holder> holders,
            Map<UUID, UUID> superseded) {
        var linked = taken.stream()
                .filter(it -> superseded.containsKey(it.job().id()))
                .toList();
        if (linked.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        var parameters = Tuple.of(
                linked.stream().map(it -> held(holders, it).jobId()).toArray(UUID[]::new),
                linked.stream().map(it -> it.job().id()).toArray(UUID[]::new),
                linked.stream().map(it -> utc(held(holders, it).firstAt())).toArray(OffsetDateTime[]::new));
        return Database.on(transaction, LINK, parameters).replaceWithVoid();
    }

    private static Tuple keys(List<Replacement> replacements) {
        return Tuple.of(
                replacements.stream().map(it -> it.job().endpoint()).toArray(String[]::new),
                replacements.stream().map(it -> it.job().idempotencyKey()).toArray(String[]::new));
    }

    private void follow(Done done) {
        flowReleases.after(done.ended());
        dependencyReleases.after(done.ended());
        database.metrics().superseded(done.ended().rowCount());
    }
}
