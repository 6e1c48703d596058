package io.taskexec.store.endpoint;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.store.flow.FlowPolicies;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;

/**
 * The hidden endpoints of targets, one for each origin. They have one version, whose spec is used by no job: each job
 * has the one of its target.
 */
@Singleton
public final class TargetStore {
    /** The limit of origins that jobs have targets at. */
    public static final int MOST = 10_000;

    private final Database database;

    public TargetStore(Database database) {
        this.database = database;
    }

    // The version is there already when the endpoint was removed and the job of a replay has kept it, or when another
    // process is as far. Two that count at the same time may make one too many, which does no harm.
    private static final String CREATE = """
            WITH room AS MATERIALIZED (
              SELECT count(*) < $4::bigint AS there FROM endpoints WHERE name LIKE '\\_target:%'
            ), new_version AS (
              INSERT INTO endpoint_versions (name, version, endpoint_type, spec, retry_policy, secret_refs, created_at)
              SELECT $1::text, 1, 'HTTP', $2::text::json, $3::text::json, '{}', now() FROM room WHERE there
              ON CONFLICT (name, version) DO NOTHING
            ), new_endpoint AS (
              INSERT INTO endpoints (name, version, created_at, updated_at)
              SELECT $1::text, 1, now(), now() FROM room WHERE there
              ON CONFLICT (name) DO NOTHING
            )
            SELECT there FROM room
            """;

    /** Creates the endpoint unless it is there; returns whether there is room for it. */
    public Uni<Boolean> create(String name) {
        var spec = new HttpSpec(
                name,
                HttpSpec.Method.POST.name(),
                Map.of(),
                null,
                HttpSpec.DEFAULT_TIMEOUT,
                HttpSpec.DEFAULT_EXPECTED,
                IdentitySpec.NONE);
        var parameters =
                Tuple.of(name, Json.write(spec.toJson()), Json.write(RetryPolicy.DEFAULT.toJson()), (long) MOST);
        return database.run(CREATE, parameters)
                .map(rows -> rows.iterator().next().getBoolean("there"));
    }

    // Creators of jobs have a lock on the endpoint: what one of them holds is in use. The check that follows is a
    // statement of its own, which sees the jobs that were committed before the lock.
    private static final String LOCK_UNUSED = """
            SELECT name FROM endpoints e
            WHERE name LIKE '\\_target:%' AND created_at < now() - interval '1 hour'
              AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.endpoint = e.name)
            ORDER BY name
            LIMIT $1::bigint
            FOR UPDATE SKIP LOCKED
            """;

    private static final String SELECT_UNUSED = """
            SELECT name FROM endpoints e
            WHERE name = ANY($1::text[]) AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.endpoint = e.name)
            """;

    // In the order of their creation: who creates one again meanwhile waits here, and then makes both.
    private static final String DELETE_VERSIONS = "DELETE FROM endpoint_versions WHERE name = ANY($1::text[])";

    private static final String DELETE = "DELETE FROM endpoints WHERE name = ANY($1::text[])";

    /** Removes endpoints that no job has any more, at most {@code limit}; returns how many. */
    public Uni<Integer> removeUnused(int limit) {
        return database.withTransaction(transaction -> Database.on(transaction, LOCK_UNUSED, Tuple.of((long) limit))
                .map(rows -> Columns.list(rows, row -> row.getString("name")))
                .chain(names -> names.isEmpty() ? Uni.createFrom().item(0) : remove(transaction, names)));
    }

    private static Uni<Integer> remove(SqlConnection transaction, List<String> names) {
        return Database.on(transaction, SELECT_UNUSED, Tuple.tuple().addValue(names.toArray(String[]::new)))
                .map(rows -> Columns.list(rows, row -> row.getString("name")))
                .chain(unused -> {
                    var parameters = Tuple.tuple().addValue(unused.toArray(String[]::new));
                    return Database.on(transaction, DELETE_VERSIONS, parameters)
                            .chain(() -> Database.on(transaction, DELETE, parameters))
                            .chain(() -> FlowPolicies.delete(transaction, unused))
                            .replaceWith(unused.size());
                });
    }
}
