package io.taskexec.store.auth;

import static io.taskexec.store.sql.Columns.durationOrNull;
import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.millisOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.audit.ApiKey;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.store.endpoint.NamedPages;
import io.taskexec.store.endpoint.PageQuery;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.NameTakenException;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** API keys, of which only fingerprints come here. */
@Singleton
public final class ApiKeyStore {
    /** One statement at a time, so that strangers with wrong keys cannot use up the connections. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(256, 1_000, 1);

    private final Database database;
    private final Batcher<byte[], Optional<ValidKey>> lookups;

    /**
     * A key that may be used.
     *
     * @param endpoints those that it may work for; null for all
     * @param remaining how long it is valid from now on by the database's clock, null for ever
     */
    public record ValidKey(
            String id,
            String name,
            Set<KeyScope> scopes,
            @Nullable Set<String> endpoints,
            @Nullable Duration remaining) {}

    /**
     * The permissions of a key.
     *
     * @param endpoints those that it may work for; null for all
     */
    public record Permit(Set<KeyScope> scopes, @Nullable Set<String> endpoints) {}

    public ApiKeyStore(Database database) {
        this.database = database;
        this.lookups = new Batcher<>("API keys to be looked up", LIMITS, this::findAll);
    }

    // The update of a row by itself makes the statement repeatable, and tells a repetition from a name that is taken.
    private static final String INSERT = """
            INSERT INTO api_keys (key_id, name, fingerprint, scopes, created_at, expires_at, endpoints)
            VALUES ($1::text, $2::text, $3::bytea, $4::text, now(), now() + $5::bigint * interval '1 millisecond',
              $6::text[])
            ON CONFLICT (name) WHERE revoked_at IS NULL DO UPDATE SET name = excluded.name
              WHERE api_keys.key_id = excluded.key_id
            RETURNING key_id, name, scopes, endpoints, created_at, expires_at, revoked_at, last_used_at
            """;

    /** Fails with {@link NameTakenException} while a key of that name is not revoked. */
    public Uni<ApiKey> create(String id, String name, byte[] fingerprint, Permit permit, @Nullable Duration validFor) {
        var endpoints = permit.endpoints();
        var parameters = Tuple.of(id, name, Buffer.buffer(fingerprint), text(permit.scopes()), millisOrNull(validFor))
                .addValue(endpoints == null ? null : endpoints.stream().sorted().toArray(String[]::new));
        return database.run(INSERT, parameters)
                .map(rows -> Columns.first(rows, ApiKeyStore::read))
                .onItem()
                .ifNull()
                .failWith(() -> new NameTakenException(name));
    }

    /** The key of this fingerprint, if there is one that is neither revoked nor expired. */
    public Uni<Optional<ValidKey>> findValid(byte[] fingerprint) {
        return lookups.submit(fingerprint);
    }

    private static final String SELECT_VALID = """
            SELECT fingerprint, key_id, name, scopes, endpoints,
                   (extract(epoch FROM expires_at - now()) * 1000)::bigint AS remaining_ms
            FROM api_keys
            WHERE fingerprint = ANY($1::bytea[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
            """;

    private Uni<List<Optional<ValidKey>>> findAll(List<byte[]> fingerprints) {
        var asked = fingerprints.stream().map(Buffer::buffer).toArray(Buffer[]::new);
        return database.run(SELECT_VALID, Tuple.tuple().addValue(asked)).map(rows -> {
            var found = validByFingerprint(rows);
            return fingerprints.stream()
                    .map(fingerprint -> Optional.ofNullable(found.get(ByteBuffer.wrap(fingerprint))))
                    .toList();
        });
    }

    private static final String INVALID = """
            SELECT key_id FROM api_keys
            WHERE key_id = ANY($1::text[]) AND (revoked_at IS NOT NULL OR expires_at <= now())
            """;

    /** Those of these ids whose keys are revoked or have expired. */
    public Uni<Set<String>> invalid(Set<String> ids) {
        return database.run(INVALID, Tuple.tuple().addValue(ids.toArray(String[]::new)))
                .map(rows -> Columns.list(rows, row -> row.getString("key_id")).stream()
                        .collect(Collectors.toSet()));
    }

    private static final String FINGERPRINTS = """
            SELECT fingerprint FROM api_keys ORDER BY fingerprint LIMIT $1::bigint
            """;

    /** At most so many fingerprints of all keys, with those that are revoked or expired. */
    public Uni<Set<ByteBuffer>> fingerprints(int most) {
        return database.run(FINGERPRINTS, Tuple.of((long) most)).map(rows -> {
            var found = HashSet.<ByteBuffer>newHashSet(rows.size());
            rows.forEach(row -> found.add(
                    ByteBuffer.wrap(row.getDelegate().getBuffer("fingerprint").getBytes())));
            return found;
        });
    }

    private static Map<ByteBuffer, ValidKey> validByFingerprint(RowSet<Row> rows) {
        var found = new HashMap<ByteBuffer, ValidKey>();
        rows.forEach(row -> {
            var fingerprint = row.getDelegate().getBuffer("fingerprint").getBytes();
            var key = new ValidKey(
                    row.getString("key_id"),
                    row.getString("name"),
                    scopes(row.getString("scopes")),
                    endpoints(row),
                    durationOrNull(row, "remaining_ms"));
            found.put(ByteBuffer.wrap(fingerprint), key);
        });
        return found;
    }

    private static final String SELECT = """
            SELECT key_id, name, scopes, endpoints, created_at, expires_at, revoked_at, last_used_at
            FROM api_keys
            WHERE key_id = $1::text
            """;

    /** Returns null when no key has that id. */
    public Uni<@Nullable ApiKey> find(String id) {
        return database.run(SELECT, Tuple.of(id)).map(rows -> Columns.first(rows, ApiKeyStore::read));
    }

    private static final String LIST = """
            SELECT key_id, name, scopes, endpoints, created_at, expires_at, revoked_at, last_used_at
            FROM api_keys
            WHERE $1::timestamptz IS NULL OR (created_at, name) < ($1::timestamptz, $2::text)
            ORDER BY created_at DESC, name DESC
            LIMIT $3::bigint
            """;

    /** All keys, with those that are revoked or expired. */
    public Uni<Page<ApiKey, Position>> list(PageQuery query) {
        return NamedPages.read(database, LIST, query, ApiKeyStore::read);
    }

    private static final String REVOKE = """
            UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE key_id = $1::text
            """;

    /** Returns whether there is one of that id; one that is revoked already stays as it is. */
    public Uni<Boolean> revoke(String id) {
        return database.run(REVOKE, Tuple.of(id)).map(rows -> rows.rowCount() > 0);
    }

    private static final String TOUCH = """
            UPDATE api_keys SET last_used_at = now()
            WHERE key_id = $1::text AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
            """;

    /** Notes that a key is in use, once a minute however many processes say so. */
    public Uni<Void> touch(String id) {
        return database.run(TOUCH, Tuple.of(id)).replaceWithVoid();
    }

    private static String text(Set<KeyScope> scopes) {
        return scopes.stream()
                .sorted()
                .map(scope -> scope.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(","));
    }

    private static Set<KeyScope> scopes(String text) {
        var scopes = EnumSet.noneOf(KeyScope.class);
        for (var name : text.split(",", -1)) {
            scopes.add(KeyScope.valueOf(name.toUpperCase(Locale.ROOT)));
        }
        return Collections.unmodifiableSet(scopes);
    }

    private static @Nullable Set<String> endpoints(Row row) {
        var names = row.getArrayOfStrings("endpoints");
        return names == null ? null : Set.of(names);
    }

    private static ApiKey read(Row row) {
        return new ApiKey(
                row.getString("key_id"),
                row.getString("name"),
                scopes(row.getString("scopes")),
                endpoints(row),
                instant(row, "created_at"),
                instantOrNull(row, "expires_at"),
                instantOrNull(row, "revoked_at"),
                instantOrNull(row, "last_used_at"));
    }
}
