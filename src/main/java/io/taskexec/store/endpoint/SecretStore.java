package io.taskexec.store.endpoint;

import static io.taskexec.store.sql.Columns.instant;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.audit.Secret;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.NameTakenException;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stores secrets, which callers have encrypted. Every change raises the epoch that claims carry to the workers' caches.
 * By the clock, so that none is given twice, not even when a failover or a restore has taken some of them back.
 */
@Singleton
public final class SecretStore {
    private final Database database;

    public SecretStore(Database database) {
        this.database = database;
    }

    private static final String NEXT_EPOCH = """
            UPDATE epochs SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
              WHERE name = 'secrets'""";

    private static final String INSERT = """
            WITH written AS (
              INSERT INTO secrets (name, version, encrypted_value, created_at, updated_at)
              VALUES ($1::text, 1, $2::bytea, now(), now())
              ON CONFLICT (name) DO NOTHING
              RETURNING name, version, created_at, updated_at
            ), epoch AS (
              %s
            )
            SELECT name, version, created_at, updated_at FROM written
            """.formatted(NEXT_EPOCH);

    /** Fails with {@link NameTakenException}. */
    public Uni<Secret> create(String name, byte[] encrypted) {
        return write(transaction -> Database.on(transaction, INSERT, Tuple.of(name, Buffer.buffer(encrypted)))
                        .map(rows -> Columns.first(rows, SecretStore::read)))
                .map(created -> {
                    if (created == null) {
                        throw new NameTakenException(name);
                    }
                    return created;
                });
    }

    private static final String LOCK = "SELECT version, created_at FROM secrets WHERE name = $1::text FOR UPDATE";

    private static final String UPDATE = """
            WITH written AS (
              UPDATE secrets SET version = version + 1, encrypted_value = $2::bytea, updated_at = now()
              WHERE name = $1::text
              RETURNING name, version, created_at, updated_at
            ), epoch AS (
              %s
            )
            SELECT name, version, created_at, updated_at FROM written
            """.formatted(NEXT_EPOCH);

    /** Returns null when no secret has that name; fails with {@link PreconditionFailedException}. */
    public Uni<@Nullable Secret> update(String name, byte[] encrypted, Precondition condition) {
        return write(transaction -> RowLock.<@Nullable Secret>holding(
                transaction,
                LOCK,
                name,
                condition,
                () -> Database.on(transaction, UPDATE, Tuple.of(name, Buffer.buffer(encrypted)))
                        .map(rows -> Columns.first(rows, SecretStore::read)),
                null));
    }

    private Uni<@Nullable Secret> write(Function<SqlConnection, Uni<@Nullable Secret>> work) {
        return database.withTransaction(
                work,
                (transaction, written) -> RowLock.isLeft(
                        transaction, LOCK, SELECT, written.name(), written.version(), written.updatedAt()));
    }

    private static final String SELECT = """
            SELECT name, version, created_at, updated_at
            FROM secrets
            WHERE name = $1::text
            """;

    /** A secret without its value; null when no secret has that name. */
    public Uni<@Nullable Secret> find(String name) {
        return database.run(SELECT, Tuple.of(name)).map(rows -> Columns.first(rows, SecretStore::read));
    }

    private static final String SELECT_VALUES = """
            SELECT name, encrypted_value
            FROM secrets
            WHERE name = ANY($1::text[])
            """;

    /** The encrypted values by name; names that do not exist are absent. */
    public Uni<Map<String, byte[]>> encryptedValues(Collection<String> names) {
        return database.run(SELECT_VALUES, Tuple.tuple().addValue(names.toArray(String[]::new)))
                .map(SecretStore::valuesByName);
    }

    /** A secret as it is stored. */
    @SuppressWarnings("ArrayRecordComponent")
    public record Stored(String name, byte[] encrypted) {}

    private static final String SELECT_STORED = """
            SELECT name, encrypted_value
            FROM secrets
            WHERE name > $1::text
            ORDER BY name
            LIMIT $2::bigint
            """;

    /** At most {@code limit} secrets in the order of their names, from the one behind {@code name}. */
    public Uni<List<Stored>> storedAfter(String name, int limit) {
        return database.run(SELECT_STORED, Tuple.of(name, (long) limit))
                .map(rows -> Columns.list(rows, row -> new Stored(row.getString("name"), value(row))));
    }

    /** Returns null when no secret has that name. */
    public Uni<@Nullable Stored> stored(String name) {
        return encryptedValues(List.of(name)).map(values -> {
            var encrypted = values.get(name);
            return encrypted == null ? null : new Stored(name, encrypted);
        });
    }

    private static final String REPLACE_VALUE = """
            UPDATE secrets SET encrypted_value = $3::bytea
            WHERE name = $1::text AND encrypted_value = $2::bytea
            """;

    /**
     * Stores another encryption of the same plaintext, so that version, time and caches stay as they are. Returns false
     * when the secret has another value by now, or is gone.
     */
    public Uni<Boolean> replaceValue(Stored secret, byte[] encrypted) {
        return database.run(
                        REPLACE_VALUE,
                        Tuple.of(secret.name(), Buffer.buffer(secret.encrypted()), Buffer.buffer(encrypted)))
                .map(rows -> rows.rowCount() == 1);
    }

    private static final String SELECT_MISSING = """
            SELECT n.name
            FROM unnest($1::text[]) AS n(name)
            WHERE NOT EXISTS (SELECT 1 FROM secrets s WHERE s.name = n.name)
            """;

    /** Those of the names that no secret has. */
    public Uni<Set<String>> missing(Collection<String> names) {
        return database.run(SELECT_MISSING, Tuple.tuple().addValue(names.toArray(String[]::new)))
                .map(rows -> {
                    var missing = new HashSet<String>();
                    rows.forEach(row -> missing.add(row.getString("name")));
                    return missing;
                });
    }

    private static final String LIST = """
            SELECT name, version, created_at, updated_at
            FROM secrets
            WHERE $1::timestamptz IS NULL OR (created_at, name) < ($1::timestamptz, $2::text)
            ORDER BY created_at DESC, name DESC
            LIMIT $3::bigint
            """;

    public Uni<Page<Secret, Position>> list(PageQuery query) {
        return NamedPages.read(database, LIST, query, SecretStore::read);
    }

    private static final String DELETE = """
            WITH epoch AS (
              %s
            )
            DELETE FROM secrets WHERE name = $1::text
            """.formatted(NEXT_EPOCH);

    /**
     * Returns whether there was one; fails with {@link PreconditionFailedException}, and with {@link InUseException}
     * while an endpoint refers to it, or did in a version that jobs still wait for.
     */
    public Uni<Boolean> delete(String name, Precondition condition) {
        var deleted = WaitingJobs.OF_SECRET.delete(
                database, name, condition, LOCK, transaction -> Database.on(transaction, DELETE, Tuple.of(name)));
        return deleted.onFailure(e -> "endpoint_secrets_secret_fk".equals(Database.violatedConstraint(e)))
                .transform(_ -> new InUseException("An endpoint uses the secret."));
    }

    private static Map<String, byte[]> valuesByName(RowSet<Row> rows) {
        var values = new HashMap<String, byte[]>();
        rows.forEach(row -> values.put(row.getString("name"), value(row)));
        return values;
    }

    private static byte[] value(Row row) {
        return row.getDelegate().getBuffer("encrypted_value").getBytes();
    }

    private static Secret read(Row row) {
        return new Secret(
                row.getString("name"),
                row.getInteger("version"),
                instant(row, "created_at"),
                instant(row, "updated_at"));
    }
}
