package io.taskexec.store;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;

/** Says that some scheduler lives; which one does not matter. */
@Singleton
public final class HeartbeatStore {
    private final Database database;

    public HeartbeatStore(Database database) {
        this.database = database;
    }

    private static final String BEAT = """
            INSERT INTO region_heartbeats (region, component, last_beat_at, status)
            VALUES ('default', 'scheduler', now(), 'ALIVE')
            ON CONFLICT (region, component) DO UPDATE SET last_beat_at = excluded.last_beat_at, status = excluded.status
            """;

    /** A scheduler lives, and has done so for a minute. */
    public Uni<Void> schedulerLives() {
        return database.run(BEAT, Tuple.tuple()).replaceWithVoid();
    }
}
