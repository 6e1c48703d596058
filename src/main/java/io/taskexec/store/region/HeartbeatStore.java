package io.taskexec.store.region;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.Collection;

/** Records that a process with a role lives in a region; which one does not matter. */
@Singleton
public final class HeartbeatStore {
    /** What schedulers leave that have had the time to make up for what was due before they came. */
    public static final String SETTLED = "scheduler-settled";

    private final Database database;

    public HeartbeatStore(Database database) {
        this.database = database;
    }

    // In order, so that two processes wait for each other instead of deadlocking.
    private static final String BEAT = """
            INSERT INTO region_heartbeats (region, component, last_beat_at, status)
            SELECT $1::text, c.name, pg_catalog.now(), 'ALIVE' FROM unnest($2::text[]) AS c(name) ORDER BY c.name
            ON CONFLICT (region, component) DO UPDATE SET last_beat_at = excluded.last_beat_at, status = excluded.status
            """;

    /** These roles live. */
    public Uni<Void> live(HomeRegion region, Collection<String> roles) {
        return database.beat(BEAT, Tuple.of(region.name(), roles.toArray(String[]::new)));
    }

    /** A scheduler lives, and has done so for a minute. */
    public Uni<Void> schedulerHasSettled() {
        return database.beat(BEAT, Tuple.of("default", new String[] {SETTLED}));
    }
}
