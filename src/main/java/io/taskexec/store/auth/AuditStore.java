package io.taskexec.store.auth;

import static io.taskexec.store.sql.Columns.array;
import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.jsonOrNull;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.Uuid7;
import io.taskexec.model.audit.AuditEntry;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The audit log: what many callers did goes into one statement. */
@Singleton
public final class AuditStore {
    private static final Batcher.Limits LIMITS = new Batcher.Limits(256, 10_000, 1);

    /** The most by which the clock of a process may differ from that of the database for its entries to be found. */
    private static final Duration CLOCKS_APART = Duration.ofSeconds(5);

    /** Entries that are looked at for one change. */
    private static final long MOST_LOOKS = 5_000;

    private final Database database;
    private final Batcher<Write, Boolean> batcher;

    /**
     * A write to be recorded.
     *
     * @param details JSON
     */
    public record Write(
            UUID id,
            String actor,
            String action,
            String resourceKind,
            String resource,
            String requestId,
            String remoteAddress,
            @Nullable String details) {
        /** A write of this moment. */
        public static Write of(
                String actor,
                String action,
                String resourceKind,
                String resource,
                String requestId,
                String remoteAddress,
                @Nullable String details) {
            return new Write(Uuid7.next(), actor, action, resourceKind, resource, requestId, remoteAddress, details);
        }
    }

    /** A filter of the log; null for everything. */
    public record Filter(@Nullable String actor, @Nullable String resourceKind) {}

    public AuditStore(Database database) {
        this.database = database;
        this.batcher = new Batcher<>("audit log entries", LIMITS, this::insertAll);
    }

    /** Records one write. */
    public Uni<Void> record(Write write) {
        return batcher.submit(write).replaceWithVoid();
    }

    private static final String INSERT = """
            INSERT INTO audit_log
              (audit_id, at, actor, action, resource_kind, resource, request_id, remote_address, details)
            SELECT n.id, now(), n.actor, n.action, n.kind, n.resource, n.request_id, n.remote_address, n.details::json
            FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
              AS n(id, actor, action, kind, resource, request_id, remote_address, details)
            ON CONFLICT (audit_id) DO NOTHING
            """;

    private Uni<List<Boolean>> insertAll(List<Write> writes) {
        var parameters = Tuple.tuple()
                .addValue(array(writes, UUID[]::new, Write::id))
                .addValue(array(writes, String[]::new, Write::actor))
                .addValue(array(writes, String[]::new, Write::action))
                .addValue(array(writes, String[]::new, Write::resourceKind))
                .addValue(array(writes, String[]::new, Write::resource))
                .addValue(array(writes, String[]::new, Write::requestId))
                .addValue(array(writes, String[]::new, Write::remoteAddress))
                .addValue(array(writes, String[]::new, Write::details));
        return database.run(INSERT, parameters).map(_ -> Collections.nCopies(writes.size(), true));
    }

    private static final String LIST = """
            SELECT audit_id, at, actor, action, resource_kind, resource, request_id, remote_address,
                   details::text AS details
            FROM audit_log
            WHERE ($1::uuid IS NULL OR audit_id < $1::uuid)
              AND ($2::text IS NULL OR actor = $2::text)
              AND ($3::text IS NULL OR resource_kind = $3::text)
            ORDER BY audit_id DESC
            LIMIT $4::bigint
            """;

    /** Newest first, which is the order of their ids; {@code after} is the last entry of the page before. */
    public Uni<Page<AuditEntry, UUID>> list(Filter filter, int limit, @Nullable UUID after) {
        return database.run(LIST, Tuple.of(after, filter.actor(), filter.resourceKind(), limit + 1L))
                .map(rows -> Page.of(Columns.list(rows, AuditStore::read), limit, AuditEntry::id));
    }

    private static AuditEntry read(Row row) {
        return new AuditEntry(
                row.getUUID("audit_id"),
                instant(row, "at"),
                row.getString("actor"),
                row.getString("action"),
                row.getString("resource_kind"),
                row.getString("resource"),
                row.getString("request_id"),
                row.getString("remote_address"),
                jsonOrNull(row, "details"));
    }

    // Ids have the clock of the process that wrote the entry, times that of the database, as the change itself has.
    private static final String ACTOR = """
            SELECT actor FROM (
              SELECT actor, action, resource, at FROM audit_log
              WHERE resource_kind = ANY($1::text[]) AND audit_id > $2::uuid AND audit_id < $3::uuid
              LIMIT $4::bigint) AS entries
            WHERE resource = ANY($5::text[]) AND action = $6::text AND at >= $7::timestamptz
            ORDER BY at
            LIMIT 1
            """;

    /**
     * A change of which the log may have an entry.
     *
     * @param resources the names that the resource may have in it
     * @param at when it was made, by the clock of the database
     */
    public record Change(Set<String> kinds, Set<String> resources, String action, Instant at) {}

    /** The key that made a change; null when the log does not say, or has too many entries of the same moment. */
    public Uni<@Nullable String> actorOf(Change change) {
        var parameters = Tuple.tuple()
                .addValue(change.kinds().toArray(String[]::new))
                .addUUID(Uuid7.floor(change.at().minus(CLOCKS_APART)))
                .addUUID(Uuid7.floor(change.at().plus(CLOCKS_APART).plus(CLOCKS_APART)))
                .addLong(MOST_LOOKS)
                .addValue(change.resources().toArray(String[]::new))
                .addString(change.action())
                .addValue(utc(change.at()));
        return database.run(ACTOR, parameters).map(rows -> Columns.first(rows, row -> row.getString("actor")));
    }
}
