package io.taskexec.store.event;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the position up to which the log of events was published elsewhere, and whose turn it is: of many processes one
 * at a time may go on from there, and another one takes over when that one is silent.
 */
@Singleton
public final class EventCursorStore {
    private final Database database;

    public EventCursorStore(Database database) {
        this.database = database;
    }

    // Begins with the oldest event that is kept.
    private static final String CREATE = """
            INSERT INTO event_positions (name, position)
            SELECT $1::text, position FROM event_positions WHERE name = 'removed'
            ON CONFLICT (name) DO NOTHING
            """;

    private static final String HOLD = """
            UPDATE event_positions
            SET owner = $2::uuid, owned_until = pg_catalog.now() + $3::bigint * interval '1 millisecond'
            WHERE name = $1::text AND (owner IS NULL OR owner = $2::uuid OR owned_until <= pg_catalog.now())
            RETURNING position
            """;

    /** Takes or keeps the turn for {@code time}; returns from where to go on, null while another process has it. */
    public Uni<@Nullable Long> hold(String name, UUID owner, Duration time) {
        return database.run(HOLD, Tuple.of(name, owner, time.toMillis()))
                .map(rows -> Columns.first(rows, row -> row.getLong("position")));
    }

    /** Makes sure that there is a place of this name. */
    public Uni<Void> create(String name) {
        return database.run(CREATE, Tuple.of(name)).replaceWithVoid();
    }

    // May run twice: who finds the new position has written it, since no other process has the turn.
    private static final String ADVANCE = """
            UPDATE event_positions SET position = $4::bigint
            WHERE name = $1::text AND owner = $2::uuid AND position IN ($3::bigint, $4::bigint)
            """;

    /** Moves on; returns false when the turn has gone to another process, which begins again where we began. */
    public Uni<Boolean> advance(String name, UUID owner, long from, long to) {
        return database.run(ADVANCE, Tuple.of(name, owner, from, to)).map(rows -> rows.rowCount() > 0);
    }

    private static final String RELEASE = """
            UPDATE event_positions SET owner = NULL, owned_until = NULL WHERE name = $1::text AND owner = $2::uuid
            """;

    /** Hands the turn back before its time, so that others need not wait for that. */
    public Uni<Void> release(String name, UUID owner) {
        return database.run(RELEASE, Tuple.of(name, owner)).replaceWithVoid();
    }
}
