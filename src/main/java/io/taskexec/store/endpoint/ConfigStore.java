package io.taskexec.store.endpoint;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.Page;
import io.taskexec.model.endpoint.Config;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.store.sql.UnreadableException;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads and writes configs and their immutable versions. */
@Singleton
public final class ConfigStore {
    private final Database database;

    public ConfigStore(Database database) {
        this.database = database;
    }

    // A name that was used before goes on counting, so that (name, version) always means the same values.
    private static final String INSERT = """
            WITH head AS (
              INSERT INTO configs (name, version, created_at, updated_at)
              SELECT $1::text, coalesce(max(v.version), 0) + 1, now(), now()
              FROM config_versions v
              WHERE v.name = $1::text
              ON CONFLICT (name) DO NOTHING
              RETURNING name, version, created_at, updated_at
            ), new_version AS (
              INSERT INTO config_versions (name, version, values_json, created_at)
              SELECT name, version, $2::text::json, now() FROM head
            )
            SELECT name, version, $2::text AS values_json, created_at, updated_at FROM head
            """;

    /** Fails with {@link NameTakenException}. */
    public Uni<Config> create(String name, JsonNode values) {
        return write(transaction -> Database.on(transaction, INSERT, Tuple.of(name, Json.write(values)))
                        .map(rows -> Columns.first(rows, ConfigStore::read)))
                .map(created -> {
                    if (created == null) {
                        throw new NameTakenException(name);
                    }
                    return created;
                });
    }

    private static final String LOCK = "SELECT version, created_at FROM configs WHERE name = $1::text FOR UPDATE";

    private static final String UPDATE = """
            WITH head AS (
              UPDATE configs SET version = version + 1, updated_at = now()
              WHERE name = $1::text
              RETURNING name, version, created_at, updated_at
            ), new_version AS (
              INSERT INTO config_versions (name, version, values_json, created_at)
              SELECT name, version, $2::text::json, now() FROM head
            )
            SELECT name, version, $2::text AS values_json, created_at, updated_at FROM head
            """;

    /**
     * Makes the next version; returns null when no config has that name; fails with {@link
     * PreconditionFailedException}.
     */
    public Uni<@Nullable Config> update(String name, JsonNode values, Precondition condition) {
        return write(transaction -> RowLock.<@Nullable Config>holding(
                transaction,
                LOCK,
                name,
                condition,
                () -> Database.on(transaction, UPDATE, Tuple.of(name, Json.write(values)))
                        .map(rows -> Columns.first(rows, ConfigStore::read)),
                null));
    }

    private Uni<@Nullable Config> write(Function<SqlConnection, Uni<@Nullable Config>> work) {
        return database.withTransaction(
                work,
                (transaction, written) -> RowLock.isLeft(
                        transaction, LOCK, SELECT, written.name(), written.version(), written.updatedAt()));
    }

    private static final String SELECT = """
            SELECT c.name, c.version, v.values_json::text AS values_json, c.created_at, c.updated_at
            FROM configs c
            JOIN config_versions v ON v.name = c.name AND v.version = c.version
            WHERE c.name = $1::text
            """;

    /** The current version; null when no config has that name. */
    public Uni<@Nullable Config> find(String name) {
        return database.run(SELECT, Tuple.of(name)).map(rows -> Columns.first(rows, ConfigStore::read));
    }

    private static final String SELECT_VERSION = """
            SELECT values_json::text AS values_json
            FROM config_versions
            WHERE name = $1::text AND version = $2::int
            """;

    /**
     * The values of one version, which never change; null when there is no such version. Fails with {@link
     * UnreadableException}.
     */
    public Uni<@Nullable JsonNode> values(String name, int version) {
        var what = "Version %d of config %s".formatted(version, name);
        return database.run(SELECT_VERSION, Tuple.of(name, version))
                .map(rows ->
                        Columns.first(rows, row -> UnreadableException.reading(what, () -> json(row, "values_json"))));
    }

    private static final String LIST = """
            SELECT c.name, c.version, v.values_json::text AS values_json, c.created_at, c.updated_at
            FROM configs c
            JOIN config_versions v ON v.name = c.name AND v.version = c.version
            WHERE $1::timestamptz IS NULL OR (c.created_at, c.name) < ($1::timestamptz, $2::text)
            ORDER BY c.created_at DESC, c.name DESC
            LIMIT $3::bigint
            """;

    public Uni<Page<Config, Position>> list(PageQuery query) {
        return NamedPages.read(database, LIST, query, ConfigStore::read);
    }

    private static final String DELETE = "DELETE FROM configs WHERE name = $1::text";

    /**
     * Returns whether there was one; fails with {@link PreconditionFailedException}, and with {@link InUseException}
     * while an endpoint refers to it, or did in a version that jobs still wait for.
     */
    public Uni<Boolean> delete(String name, Precondition condition) {
        var deleted = WaitingJobs.OF_CONFIG.delete(
                database, name, condition, LOCK, transaction -> Database.on(transaction, DELETE, Tuple.of(name)));
        return deleted.onFailure(e -> "endpoints_config_fk".equals(Database.violatedConstraint(e)))
                .transform(_ -> new InUseException("An endpoint uses the config."));
    }

    private static Config read(Row row) {
        return new Config(
                row.getString("name"),
                row.getInteger("version"),
                json(row, "values_json"),
                instant(row, "created_at"),
                instant(row, "updated_at"));
    }
}
