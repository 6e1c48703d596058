package io.taskexec.store.endpoint;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.Page;
import io.taskexec.model.endpoint.PayloadSpec;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.NameTakenException;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Payload specs. */
@Singleton
public final class PayloadSpecStore {
    private final Database database;

    public PayloadSpecStore(Database database) {
        this.database = database;
    }

    private static final String INSERT = """
            INSERT INTO payload_specs (name, version, schema_json, created_at, updated_at)
            VALUES ($1::text, 1, $2::text::json, now(), now())
            ON CONFLICT (name) DO NOTHING
            RETURNING name, version, schema_json::text AS schema_json, created_at, updated_at
            """;

    /** Fails with {@link NameTakenException}. */
    public Uni<PayloadSpec> create(String name, JsonNode schema) {
        return write(transaction -> Database.on(transaction, INSERT, Tuple.of(name, Json.write(schema)))
                        .map(rows -> Columns.first(rows, PayloadSpecStore::read)))
                .map(created -> {
                    if (created == null) {
                        throw new NameTakenException(name);
                    }
                    return created;
                });
    }

    private static final String LOCK = "SELECT version, created_at FROM payload_specs WHERE name = $1::text FOR UPDATE";

    private static final String UPDATE = """
            UPDATE payload_specs
            SET version = version + 1, schema_json = $2::text::json, updated_at = now()
            WHERE name = $1::text
            RETURNING name, version, schema_json::text AS schema_json, created_at, updated_at
            """;

    /** Returns null when no payload spec has that name; fails with {@link PreconditionFailedException}. */
    public Uni<@Nullable PayloadSpec> update(String name, JsonNode schema, Precondition condition) {
        return write(transaction -> RowLock.<@Nullable PayloadSpec>holding(
                transaction,
                LOCK,
                name,
                condition,
                () -> Database.on(transaction, UPDATE, Tuple.of(name, Json.write(schema)))
                        .map(rows -> Columns.first(rows, PayloadSpecStore::read)),
                null));
    }

    private Uni<@Nullable PayloadSpec> write(Function<SqlConnection, Uni<@Nullable PayloadSpec>> work) {
        return database.withTransaction(
                work,
                (transaction, written) -> RowLock.isLeft(
                        transaction, LOCK, SELECT, written.name(), written.version(), written.updatedAt()));
    }

    private static final String SELECT = """
            SELECT name, version, schema_json::text AS schema_json, created_at, updated_at
            FROM payload_specs
            WHERE name = $1::text
            """;

    /** Returns null when no payload spec has that name. */
    public Uni<@Nullable PayloadSpec> find(String name) {
        return database.run(SELECT, Tuple.of(name)).map(rows -> Columns.first(rows, PayloadSpecStore::read));
    }

    private static final String LIST = """
            SELECT name, version, schema_json::text AS schema_json, created_at, updated_at
            FROM payload_specs
            WHERE $1::timestamptz IS NULL OR (created_at, name) < ($1::timestamptz, $2::text)
            ORDER BY created_at DESC, name DESC
            LIMIT $3::bigint
            """;

    public Uni<Page<PayloadSpec, Position>> list(PageQuery query) {
        return NamedPages.read(database, LIST, query, PayloadSpecStore::read);
    }

    private static final String DELETE = "DELETE FROM payload_specs WHERE name = $1::text";

    /**
     * Returns whether there was one; fails with {@link PreconditionFailedException}, and with {@link InUseException}
     * while an endpoint refers to it.
     */
    public Uni<Boolean> delete(String name, Precondition condition) {
        Uni<Boolean> deleted = database.withTransaction(
                transaction -> RowLock.holding(
                        transaction,
                        LOCK,
                        name,
                        condition,
                        () -> Database.on(transaction, DELETE, Tuple.of(name)).replaceWith(true),
                        false),
                (transaction, _) -> RowLock.isGone(transaction, LOCK, name));
        return deleted.onFailure(e -> "endpoints_payload_spec_fk".equals(Database.violatedConstraint(e)))
                .transform(_ -> new InUseException("An endpoint uses the payload spec."));
    }

    private static PayloadSpec read(Row row) {
        return new PayloadSpec(
                row.getString("name"),
                row.getInteger("version"),
                json(row, "schema_json"),
                instant(row, "created_at"),
                instant(row, "updated_at"));
    }
}
