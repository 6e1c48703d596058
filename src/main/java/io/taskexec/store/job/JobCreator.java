package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.array;
import static io.taskexec.store.sql.Columns.instant;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.TaskProgress;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.dependency.Decisions;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.dependency.Parents;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.EagerStarts.Starts;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.KeyBatcher;
import io.taskexec.store.sql.LockTimeout;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Creates one-shot jobs with their executions: those of many callers in one statement. */
@Singleton
public final class JobCreator {
    // A second one goes only when it is full: with half as many jobs in each, two would wait for each other's disk
    // writes.
    private static final Batcher.Limits LIMITS = new Batcher.Limits(256, 10_000, 1, 2);

    // Jobs of one flow key may have to be delivered in the order of their creation, and children of one parent wait for
    // its lock.
    private static final Batcher.Limits IN_ORDER = new Batcher.Limits(256, 10_000, 1);

    private final Database database;
    private final IdempotencyKeyStore keys;
    private final DueSignal dueSignal;
    private final RegionFilter regions;
    private final KeyBatcher<NewJob, Result> batcher;
    private final KeyBatcher<NewJob, Result> inOrder;
    private final FlowReleases flowReleases;
    private final DependencyReleases dependencyReleases;
    private final Decisions decisions;
    private final EagerStarts starts;
    private final Map<JobForm, String> inserts = new ConcurrentHashMap<>();

    public JobCreator(
            Database database,
            IdempotencyKeyStore keys,
            DueSignal dueSignal,
            RegionFilter regions,
            FlowReleases flowReleases,
            DependencyReleases dependencyReleases,
            EagerStarts starts) {
        this.database = database;
        this.keys = keys;
        this.dueSignal = dueSignal;
        this.regions = regions;
        this.flowReleases = flowReleases;
        this.dependencyReleases = dependencyReleases;
        this.decisions = new Decisions(database);
        this.starts = starts;
        this.batcher = batcher(LIMITS);
        this.inOrder = batcher(IN_ORDER);
    }

    private KeyBatcher<NewJob, Result> batcher(Batcher.Limits limits) {
        return new KeyBatcher<>("jobs to be created", limits, NewJob::key, this::createAll);
    }

    /** Creates one job, or finds the job that has its key. */
    public Uni<Result> create(NewJob job) {
        return (isIndependent(job) ? batcher : inOrder).submit(job);
    }

    private static boolean isIndependent(NewJob job) {
        return job.flow() == null && job.dependencies() == null;
    }

    /** The job that has a key, null when none has. */
    public Uni<Result.@Nullable Duplicate> find(String endpoint, String key, UUID fingerprint) {
        return keys.find(endpoint, key, fingerprint);
    }

    /** The progress of the batches of jobs. */
    public TaskProgress progress() {
        return batcher.progress().and(inOrder.progress());
    }

    /** The number of the region in which jobs are created. */
    Uni<Integer> region() {
        return regions.number();
    }

    private Uni<List<Result>> createAll(List<NewJob> jobs, LockTimeout timeout) {
        return regions.number().chain(region -> insert(jobs, region, timeout)).chain(written -> results(jobs, written));
    }

    /**
     * Jobs that were inserted, and those that were refused.
     *
     * @param results of the jobs that were created, and of those that were refused
     * @param hasDoomed whether some are to be skipped
     * @param starts executions that have been started
     */
    record Written(List<NewJob> jobs, Map<UUID, Result> results, RowSet<Row> rows, boolean hasDoomed, Starts starts) {
        static Written of(List<NewJob> jobs, RowSet<Row> rows, Starts starts) {
            return new Written(jobs, createdById(rows, false), rows, false, starts);
        }
    }

    private String insert(JobForm form) {
        return inserts.computeIfAbsent(form, missing -> database.form(JobInsert.of(missing, regions.home())));
    }

    private Uni<Written> insert(List<NewJob> jobs, int region, LockTimeout timeout) {
        var form = JobForm.of(jobs);
        return form.dependent()
                ? database.withTransaction(
                        transaction -> timeout.set(transaction).chain(() -> insertDependent(transaction, jobs, region)))
                : insertAndStart(jobs, region, form, timeout);
    }

    // Events have an order, in which the creation comes before the claim.
    private Uni<Written> insertAndStart(List<NewJob> jobs, int region, JobForm form, LockTimeout timeout) {
        var parameters = JobParameters.of(jobs, region, form);
        var started = database.writesEvents() ? Starts.NONE : starts.of(jobs, form, region);
        var sql = insert(started.isEmpty() ? form : form.withStarts());
        return database.run(timeout.in(sql), started.isEmpty() ? parameters : started.addTo(parameters))
                .onItemOrFailure()
                .invoke((rows, _) -> started.settle(rows, database))
                .map(rows -> Written.of(jobs, rows, started));
    }

    /** Creates jobs within a transaction. */
    Uni<Written> insert(SqlConnection transaction, List<NewJob> jobs, int region) {
        var form = JobForm.of(jobs);
        return form.dependent()
                ? insertDependent(transaction, jobs, region)
                : Database.on(transaction, insert(form), JobParameters.of(jobs, region, form))
                        .map(rows -> Written.of(jobs, rows, Starts.NONE));
    }

    /**
     * Creates jobs that depend on each other, within a transaction, as a part of something more.
     *
     * @param ended parents of them that have ended
     */
    public Uni<Graph> createWithin(SqlConnection transaction, List<NewJob> jobs, Set<UUID> ended) {
        var ids = jobs.stream().map(NewJob::id).collect(Collectors.toSet());
        return regions.number()
                .chain(region -> Parents.lock(transaction, ended)
                        .chain(parents -> insertDependent(transaction, jobs, region, parents.with(ids))))
                .map(Graph::new);
    }

    /** Jobs that were created within a transaction. */
    public static final class Graph {
        private final Written written;

        private Graph(Written written) {
            this.written = written;
        }

        /** Whether there are all that were asked for; otherwise an endpoint has changed, or a queue was deleted. */
        public boolean isWhole() {
            return written.jobs().stream().allMatch(job -> written.results().get(job.id()) instanceof Result.Created);
        }
    }

    /** Does what follows from a creation, once it is committed. */
    public void announce(Graph graph) {
        follow(graph.written);
        database.metrics().created(graph.written.jobs().size());
        signal(graph.written);
    }

    // Parents are locked first, then all that a creation without parents locks: no transaction that holds one of those
    // waits for an execution.
    private Uni<Written> insertDependent(SqlConnection transaction, List<NewJob> jobs, int region) {
        return Parents.lock(transaction, DependentJobs.parents(jobs))
                .chain(parents -> insertDependent(transaction, jobs, region, parents));
    }

    private Uni<Written> insertDependent(SqlConnection transaction, List<NewJob> jobs, int region, Parents parents) {
        var refused = DependentJobs.refused(jobs, parents);
        var usable = jobs.stream().filter(job -> !refused.containsKey(job.id())).toList();
        var form = JobForm.of(usable).withParents();
        return Database.on(
                        transaction,
                        insert(form),
                        JobParameters.addOptions(
                                DependentJobs.addParents(JobParameters.ofAll(usable, region, form), usable, parents),
                                usable,
                                form))
                .chain(rows -> {
                    var created = createdById(rows, true);
                    var children = DependentJobs.children(usable, created.keySet());
                    return parents.addEdges(transaction, children)
                            .chain(() -> decisions.decideFirst(transaction, children, parents))
                            .map(decided -> {
                                var doomed = DependentJobs.apply(decided, created);
                                created.putAll(refused);
                                return new Written(jobs, created, rows, doomed, Starts.NONE);
                            });
                });
    }

    private void follow(Written written) {
        if (written.hasDoomed()) {
            dependencyReleases.requestSkip();
        }
        var rows = written.rows();
        if (rows.size() > 0 && rows.iterator().next().getColumnIndex("parked") >= 0) {
            flowReleases.after(rows);
            database.metrics().flow().parked(rows.iterator().next().getLong("parked"));
        }
    }

    /** Does what follows from a creation, and says of each job what has become of it. */
    Uni<List<Result>> results(List<NewJob> jobs, Written written) {
        follow(written);
        var results = written.results();
        database.metrics().created(written.rows().size());
        signal(written);
        var others = jobs.stream()
                .filter(job -> !(results.get(job.id()) instanceof Result.Created))
                .toList();
        return others.isEmpty()
                ? listed(jobs, results)
                : explain(others, results).chain(all -> listed(jobs, all));
    }

    private void signal(Written written) {
        var soon = ProgramClock.now().plus(DueSignal.HORIZON);
        var works = EnumSet.noneOf(Work.class);
        for (var job : written.jobs()) {
            if (written.results().get(job.id()) instanceof Result.Created created
                    && created.runAt().isBefore(soon)
                    && !written.starts().has(job.id())) {
                works.add(job.work());
            }
        }
        dueSignal.raiseFor(works);
    }

    private static Uni<List<Result>> listed(List<NewJob> jobs, Map<UUID, Result> results) {
        var stale = new Result.Stale();
        return Uni.createFrom()
                .item(jobs.stream()
                        .map(job -> results.getOrDefault(job.id(), stale))
                        .toList());
    }

    private static Map<UUID, Result> createdById(RowSet<Row> rows, boolean dependent) {
        var created = new HashMap<UUID, Result>();
        rows.forEach(row -> created.put(
                row.getUUID("job_id"),
                new Result.Created(
                        instant(row, "created_at"),
                        instant(row, "run_at"),
                        dependent && row.getBoolean("waits")
                                ? ExecutionStatus.WAITING
                                : status(row.getBoolean("due")))));
        return created;
    }

    static ExecutionStatus status(boolean due) {
        return due ? ExecutionStatus.QUEUED : ExecutionStatus.PENDING;
    }

    // A statement of its own, because the one above cannot see the rows that it was refused for.
    private static final String SELECT_KEYS = """
            SELECT n.id, k.job_id, k.fingerprint = n.fingerprint AS same_request,
                   %s AS expired, l.created_at, l.run_at,
                   l.trigger_rule IS NOT NULL AS waits, l.run_at <= now() AS due
            FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) AS n(id, endpoint, key, fingerprint)
            JOIN idempotency_keys k ON k.endpoint = n.endpoint AND k.idempotency_key = n.key
            LEFT JOIN exec_live l ON l.execution_id = n.id
            """.formatted(IdempotencyKeyStore.hasExpired("$5::bigint"));

    private Uni<Map<UUID, Result>> explain(List<NewJob> jobs, Map<UUID, Result> created) {
        var parameters = Tuple.tuple()
                .addValue(array(jobs, UUID[]::new, NewJob::id))
                .addValue(array(jobs, String[]::new, NewJob::endpoint))
                .addValue(array(jobs, String[]::new, NewJob::idempotencyKey))
                .addValue(array(jobs, UUID[]::new, NewJob::fingerprint))
                .addLong(keys.ttl().toMillis());
        return database.run(SELECT_KEYS, parameters).chain(rows -> {
            var expired = new HashSet<UUID>();
            rows.forEach(row -> {
                if (row.getBoolean("expired")) {
                    expired.add(row.getUUID("id"));
                } else {
                    var result = explanation(row);
                    if (result instanceof Result.Created) {
                        database.metrics().created(1);
                    }
                    created.put(row.getUUID("id"), result);
                }
            });
            return expired.isEmpty() ? Uni.createFrom().item(created) : createAgain(jobs, expired, created);
        });
    }

    // In one transaction, so that no reader sees the key missing in between.
    private Uni<Map<UUID, Result>> createAgain(List<NewJob> jobs, Set<UUID> expired, Map<UUID, Result> created) {
        var again = jobs.stream().filter(job -> expired.contains(job.id())).toList();
        return regions.number()
                .chain(region -> database.withTransaction(transaction ->
                        keys.deleteExpired(transaction, again).chain(() -> insert(transaction, again, region))))
                .chain(written -> results(again, written))
                .map(results -> {
                    for (var i = 0; i < again.size(); i++) {
                        created.put(again.get(i).id(), results.get(i));
                    }
                    return created;
                });
    }

    /** Our own id under the key means that the insert was committed although its answer was lost. */
    private static Result explanation(Row row) {
        var owner = row.getUUID("job_id");
        return owner.equals(row.getUUID("id")) && row.getOffsetDateTime("created_at") != null
                ? new Result.Created(
                        instant(row, "created_at"),
                        instant(row, "run_at"),
                        row.getBoolean("waits") ? ExecutionStatus.WAITING : status(row.getBoolean("due")))
                : new Result.Duplicate(owner, row.getBoolean("same_request"));
    }
}
