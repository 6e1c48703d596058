package io.taskexec.store.endpoint;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.json;
import static io.taskexec.store.sql.Columns.jsonOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.Page;
import io.taskexec.model.Uuid7;
import io.taskexec.model.endpoint.Callbacks;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.endpoint.EndpointSpec;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.flow.FlowPolicy;
import io.taskexec.model.queue.Queue;
import io.taskexec.model.wait.Completion;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.flow.FlowPolicies;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.LockTimeout;
import io.taskexec.store.sql.MissingReferenceException;
import io.taskexec.store.sql.MissingReferenceException.Kind;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.store.sql.UnreadableException;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads and writes endpoints and their immutable versions. */
@Singleton
public final class EndpointStore {
    private final Database database;

    public EndpointStore(Database database) {
        this.database = database;
    }

    /**
     * A registration, before it has a version.
     *
     * @param secrets the secrets that the spec names
     */
    public record Registration(
            String name,
            @Nullable String payloadSpec,
            @Nullable String config,
            String queue,
            EndpointSpec spec,
            RetryPolicy retryPolicy,
            Callbacks callbacks,
            OnWorkerLost onWorkerLost,
            boolean preemptible,
            @Nullable FlowPolicy flow,
            @Nullable Completion completion,
            Set<String> secrets) {}

    // A name that was used before goes on counting, so that (name, version) always means the same endpoint.
    private static final String INSERT = """
            INSERT INTO endpoints
              (name, version, payload_spec_ref, config_ref, on_success_ref, on_failure_ref, created_at, updated_at)
            SELECT $1::text, coalesce(max(v.version), 0) + 1, $2::text, $3::text, $4::text, $5::text, now(), now()
            FROM endpoint_versions v
            WHERE v.name = $1::text
            ON CONFLICT (name) DO NOTHING
            RETURNING version
            """;

    /** Fails with {@link NameTakenException} or {@link MissingReferenceException}. */
    public Uni<Endpoint> create(Registration wanted) {
        return write(transaction -> writeIn(transaction, wanted, INSERT)).map(created -> {
            if (created == null) {
                throw new NameTakenException(wanted.name());
            }
            return created;
        });
    }

    // Creators of jobs need not wait for a new version: each has the one that its job's input was checked against.
    private static final String LOCK = "SELECT version, created_at FROM endpoints"
            + " WHERE name = $1::text AND name NOT LIKE '\\_%' FOR NO KEY UPDATE";

    private static final String UPDATE = """
            UPDATE endpoints
            SET version = version + 1, payload_spec_ref = $2::text, config_ref = $3::text, on_success_ref = $4::text,
                on_failure_ref = $5::text, updated_at = now()
            WHERE name = $1::text
            RETURNING version
            """;

    /**
     * Makes the next version, for jobs that are created from now on; returns null when no endpoint has that name and
     * fails with {@link PreconditionFailedException} or {@link MissingReferenceException}.
     */
    public Uni<@Nullable Endpoint> update(Registration wanted, Precondition condition) {
        return write(transaction -> RowLock.holding(
                transaction,
                LOCK,
                wanted.name(),
                condition,
                () -> checkType(transaction, wanted).chain(() -> writeIn(transaction, wanted, UPDATE)),
                null));
    }

    private static final String SELECT_TYPE = """
            SELECT v.endpoint_type FROM endpoints e
            JOIN endpoint_versions v ON v.name = e.name AND v.version = e.version
            WHERE e.name = $1::text
            """;

    /** Jobs of a former version would wait where no worker looks for them. */
    private static Uni<Void> checkType(SqlConnection transaction, Registration wanted) {
        return Database.on(transaction, SELECT_TYPE, Tuple.of(wanted.name()))
                .invoke(rows -> {
                    var was = EndpointType.valueOf(rows.iterator().next().getString("endpoint_type"));
                    var type = wanted.spec().type();
                    if (was != type && (was == EndpointType.WORKER || type == EndpointType.WORKER)) {
                        throw new InUseException("An endpoint of type %s cannot become one of type %s; delete it first."
                                .formatted(was, type));
                    }
                })
                .replaceWithVoid();
    }

    private Uni<@Nullable Endpoint> write(Function<SqlConnection, Uni<@Nullable Endpoint>> work) {
        Uni<@Nullable Endpoint> written = database.withTransaction(
                work,
                (transaction, endpoint) -> RowLock.isLeft(
                        transaction, LOCK, SELECT, endpoint.name(), endpoint.version(), endpoint.updatedAt()));
        return written.onFailure(e -> missingReference(e) != null).transform(EndpointStore::asMissingReference);
    }

    private static Uni<@Nullable Endpoint> writeIn(SqlConnection transaction, Registration wanted, String headSql) {
        var callbacks = wanted.callbacks();
        var head = Tuple.of(
                wanted.name(), wanted.payloadSpec(), wanted.config(), callbacks.onSuccess(), callbacks.onFailure());
        return Database.on(transaction, headSql, head)
                .chain(rows -> rows.rowCount() == 0
                        ? Uni.createFrom().nullItem()
                        : QueueStore.named(transaction, wanted.queue())
                                .chain(queue -> writeVersion(
                                        transaction,
                                        wanted,
                                        rows.iterator().next().getInteger("version"),
                                        queue)));
    }

    private static final String INSERT_VERSION = """
            INSERT INTO endpoint_versions
              (name, version, endpoint_type, payload_spec_ref, config_ref, spec, retry_policy, secret_refs, queue_id,
               on_success, on_failure, on_worker_lost, preemptible, flow, completion, created_at)
            VALUES ($1::text, $2::int, $3::text, $4::text, $5::text, $6::text::json, $7::text::json, $8::text[],
              $9::int, $10::text, $11::text, $12::text, $13::boolean, $14::text::json, $15::text::json,
              now())
            """;

    // A new version need not wait for the failures of the one before.
    private static final String DELETE_BREAKER = "DELETE FROM breakers WHERE endpoint = $1::text";

    private static final String DELETE_SECRETS = "DELETE FROM endpoint_secrets WHERE endpoint = $1::text";

    private static final String INSERT_SECRETS = """
            INSERT INTO endpoint_secrets (endpoint, secret)
            SELECT $1::text, s.secret FROM unnest($2::text[]) AS s(secret)
            """;

    private static Uni<@Nullable Endpoint> writeVersion(
            SqlConnection transaction, Registration wanted, int version, Queue queue) {
        var row = Tuple.tuple()
                .addString(wanted.name())
                .addInteger(version)
                .addString(wanted.spec().type().name())
                .addString(wanted.payloadSpec())
                .addString(wanted.config())
                .addString(Json.write(wanted.spec().toJson()))
                .addString(Json.write(wanted.retryPolicy().toJson()))
                .addValue(wanted.secrets().toArray(String[]::new))
                .addInteger(queue.id())
                .addString(wanted.callbacks().onSuccess())
                .addString(wanted.callbacks().onFailure())
                .addString(wanted.onWorkerLost().word())
                .addBoolean(wanted.preemptible())
                .addString(
                        wanted.flow() == null ? null : Json.write(wanted.flow().toJson()))
                .addString(
                        wanted.completion() == null
                                ? null
                                : Json.write(wanted.completion().toJson()));
        var enabling = Tuple.of(wanted.name(), Uuid7.next(), "version " + version + " was registered");
        var secrets = Tuple.of(wanted.name()).addValue(wanted.secrets().toArray(String[]::new));
        return Database.on(transaction, INSERT_VERSION, row)
                .chain(() -> FlowPolicies.write(transaction, wanted.name(), wanted.flow()))
                .chain(() -> Database.on(transaction, DELETE_BREAKER, Tuple.of(wanted.name())))
                .chain(() -> Database.on(transaction, BreakerStore.ENABLE, enabling))
                .chain(() -> Database.on(transaction, DELETE_SECRETS, Tuple.of(wanted.name())))
                .chain(() -> Database.on(transaction, INSERT_SECRETS, secrets))
                .chain(() -> Database.on(transaction, SELECT, Tuple.of(wanted.name())))
                .map(rows -> Columns.first(rows, EndpointStore::read));
    }

    private static final String COLUMNS = """
            v.name, v.version, v.endpoint_type, v.payload_spec_ref, v.config_ref, v.spec::text AS spec,
              q.queue_id, q.name AS queue, v.retry_policy::text AS retry_policy, v.on_success, v.on_failure,
              v.on_worker_lost, v.preemptible, v.flow::text AS flow, v.completion::text AS completion,
              v.created_at AS updated_at
            """;

    private static final String OF_CURRENT = "SELECT " + COLUMNS + """
              , e.created_at
            FROM endpoints e
            JOIN endpoint_versions v ON v.name = e.name AND v.version = e.version
            JOIN queues q ON q.queue_id = v.queue_id
            """;

    private static final String SELECT = OF_CURRENT + "WHERE e.name = $1::text";

    /** The current version of an endpoint that callers can name; null when there is none. */
    public Uni<@Nullable Endpoint> findNamed(String name) {
        return name.startsWith("_") ? Uni.createFrom().nullItem() : find(name);
    }

    /** The current version; null when no endpoint has that name. */
    public Uni<@Nullable Endpoint> find(String name) {
        return database.run(SELECT, Tuple.of(name)).map(rows -> Columns.first(rows, EndpointStore::read));
    }

    private static final String SELECT_VERSION = "SELECT " + COLUMNS + """
              , v.created_at
            FROM endpoint_versions v
            JOIN queues q ON q.queue_id = v.queue_id
            WHERE v.name = $1::text AND v.version = $2::int
            """;

    /**
     * One version, current or not, which never changes; null when there is no such version. Fails with {@link
     * UnreadableException}.
     */
    public Uni<@Nullable Endpoint> find(String name, int version) {
        var what = "Version %d of endpoint %s".formatted(version, name);
        return database.run(SELECT_VERSION, Tuple.of(name, version))
                .map(rows -> Columns.first(rows, row -> UnreadableException.reading(what, () -> read(row))));
    }

    // Versions are kept for their jobs: a deleted endpoint of the same name leaves its own.
    private static final String SELECT_VERSIONS = "SELECT " + COLUMNS + """
              , e.created_at
            FROM endpoints e
            JOIN endpoint_versions v ON v.name = e.name AND v.created_at >= e.created_at
            JOIN queues q ON q.queue_id = v.queue_id
            WHERE e.name = $1::text AND e.name NOT LIKE '\\_%' AND ($2::int IS NULL OR v.version < $2::int)
            ORDER BY v.version DESC
            LIMIT $3::bigint
            """;

    /**
     * The versions of an endpoint that callers can name, newest first.
     *
     * @param before the version that the page before ended with; null for the first page
     */
    public Uni<Page<Endpoint, Integer>> versions(String name, int limit, @Nullable Integer before) {
        return database.run(SELECT_VERSIONS, Tuple.of(name, before, limit + 1L))
                .map(rows -> Page.of(Columns.list(rows, EndpointStore::read), limit, Endpoint::version));
    }

    private static final String LIST = OF_CURRENT + """
            WHERE ($1::timestamptz IS NULL OR (e.created_at, e.name) < ($1::timestamptz, $2::text))
              AND e.name NOT LIKE '\\_%%'%s
            ORDER BY e.created_at DESC, e.name DESC
            LIMIT $3::bigint
            """;

    private static final String LIST_ALL = LIST.formatted("");

    private static final String LIST_WORKFLOWS = LIST.formatted(" AND v.endpoint_type = 'WORKFLOW'");

    /** Those alone that are definitions of workflows. */
    public Uni<Page<Endpoint, Position>> listWorkflows(PageQuery query) {
        return NamedPages.read(database, LIST_WORKFLOWS, query, EndpointStore::read);
    }

    public Uni<Page<Endpoint, Position>> list(PageQuery query) {
        return NamedPages.read(database, LIST_ALL, query, EndpointStore::read);
    }

    // A schedule may have come to its end and still have a tick that waits, and one in force may have been set aside.
    private static final String SELECT_ACTIVE_JOBS = """
            SELECT EXISTS (
                     SELECT 1 FROM exec_live l JOIN jobs j ON j.job_id = l.job_id WHERE j.endpoint = $1::text
                   ) OR EXISTS (
                     SELECT 1 FROM schedules s JOIN jobs j ON j.job_id = s.job_id
                     WHERE j.endpoint = $1::text
                       AND (s.next_run_at IS NOT NULL OR s.buffered_tick IS NOT NULL OR j.retired_at IS NULL)
                   ) AS active
            """;

    // Waits for transactions that create jobs for it, which the check that follows then sees; not for long, since they
    // may be those of applications.
    private static final String LOCK_AWAY = """
            SELECT version, created_at FROM endpoints
            WHERE name = $1::text AND name NOT LIKE '\\_%%' AND %s
            FOR UPDATE
            """.formatted(LockTimeout.OF_ONE.condition());

    private static final String DELETE = "DELETE FROM endpoints WHERE name = $1::text";

    private static final Set<String> CALLBACK_KEYS = Set.of("endpoints_on_success_fk", "endpoints_on_failure_fk");

    /**
     * Returns whether there was one; fails with {@link PreconditionFailedException}, and with {@link InUseException}
     * while it has jobs that are not finished, or gets the results of another one.
     */
    public Uni<Boolean> delete(String name, Precondition condition) {
        // Looked at before as well, so that an endpoint that is in use does not keep jobs from being created.
        Uni<Boolean> deleted = database.run(SELECT_ACTIVE_JOBS, Tuple.of(name))
                .chain(rows -> database.withTransaction(
                        transaction -> isActive(rows)
                                ? refuse(transaction, name, condition)
                                : RowLock.holding(
                                        transaction,
                                        LOCK_AWAY,
                                        name,
                                        condition,
                                        () -> deleteIn(transaction, name),
                                        false),
                        (transaction, _) -> RowLock.isGone(transaction, LOCK, name)));
        return deleted.onFailure(e -> CALLBACK_KEYS.contains(String.valueOf(Database.violatedConstraint(e))))
                .transform(_ -> new InUseException("Another endpoint names it as its on_success or on_failure."));
    }

    /** A condition that does not hold is told of first. */
    private static Uni<Boolean> refuse(SqlConnection transaction, String name, Precondition condition) {
        return RowLock.holding(
                transaction, LOCK, name, condition, () -> Uni.createFrom().failure(inUse()), false);
    }

    private static Uni<Boolean> deleteIn(SqlConnection transaction, String name) {
        return Database.on(transaction, SELECT_ACTIVE_JOBS, Tuple.of(name))
                .chain(rows -> isActive(rows)
                        ? Uni.createFrom().failure(inUse())
                        : Database.on(transaction, DELETE, Tuple.of(name))
                                .chain(() -> FlowPolicies.delete(transaction, List.of(name)))
                                .chain(() -> QueueStore.deleteOfWorkers(transaction, name)))
                .replaceWith(true);
    }

    private static boolean isActive(RowSet<Row> rows) {
        return rows.iterator().next().getBoolean("active");
    }

    private static InUseException inUse() {
        return new InUseException("The endpoint has active jobs.");
    }

    private static @Nullable Kind missingReference(Throwable failure) {
        return switch (Database.violatedConstraint(failure)) {
            case "endpoints_payload_spec_fk" -> Kind.PAYLOAD_SPEC;
            case "endpoints_config_fk" -> Kind.CONFIG;
            case "endpoint_secrets_secret_fk" -> Kind.SECRET;
            case "endpoints_on_success_fk" -> Kind.ON_SUCCESS;
            case "endpoints_on_failure_fk" -> Kind.ON_FAILURE;
            case null, default -> null;
        };
    }

    private static Throwable asMissingReference(Throwable failure) {
        var kind = missingReference(failure);
        return kind == null ? failure : new MissingReferenceException(kind);
    }

    private static Endpoint read(Row row) {
        return new Endpoint(
                row.getString("name"),
                row.getInteger("version"),
                row.getString("payload_spec_ref"),
                row.getString("config_ref"),
                new Queue(row.getInteger("queue_id"), row.getString("queue")),
                EndpointSpec.of(EndpointType.valueOf(row.getString("endpoint_type")), json(row, "spec")),
                RetryPolicy.of(json(row, "retry_policy")),
                new Callbacks(row.getString("on_success"), row.getString("on_failure")),
                OnWorkerLost.of(row.getString("on_worker_lost")),
                row.getBoolean("preemptible"),
                flow(jsonOrNull(row, "flow")),
                completion(jsonOrNull(row, "completion")),
                instant(row, "created_at"),
                instant(row, "updated_at"));
    }

    private static @Nullable Completion completion(@Nullable JsonNode json) {
        return json == null ? null : Completion.of(json);
    }

    private static @Nullable FlowPolicy flow(@Nullable JsonNode json) {
        return json == null ? null : FlowPolicy.of(json);
    }
}
