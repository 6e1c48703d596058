package io.taskexec.store.region;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Registers regions, and has one adopt the work of a silent one. */
@Singleton
public final class RegionStore {
    private final Database database;

    public RegionStore(Database database) {
        this.database = database;
    }

    /**
     * A region.
     *
     * @param number tells its lanes
     * @param adoptedBy the region that has taken over its work, null while it does it itself
     */
    public record Region(String name, int number, @Nullable String adoptedBy) {
        /** Whether its work is done by this region. */
        boolean isServedBy(String region) {
            return name.equals(region) || region.equals(adoptedBy);
        }
    }

    private static final String SELECT = "SELECT region, number, adopted_by FROM region_status ORDER BY number";

    /** All regions. */
    public Uni<List<Region>> all() {
        return database.run(SELECT, Tuple.tuple()).map(rows -> Columns.list(rows, RegionStore::read));
    }

    private static Region read(Row row) {
        return new Region(row.getString("region"), row.getInteger("number"), row.getString("adopted_by"));
    }

    // The least number that is free; who comes second to it gets none, and asks again.
    private static final String REGISTER = """
            INSERT INTO region_status (region, number)
            SELECT $1::text, f.number FROM (
              SELECT min(n) AS number FROM generate_series(0, $2::int - 1) AS g(n)
              WHERE NOT EXISTS (SELECT 1 FROM region_status r WHERE r.number = g.n)) AS f
            WHERE f.number IS NOT NULL
            ON CONFLICT DO NOTHING
            """;

    /** Assigns a number to a region, unless it has one. */
    public Uni<Void> register(String region) {
        return database.run(REGISTER, Tuple.of(region, Lanes.REGIONS)).replaceWithVoid();
    }

    private static final String DESCRIBE = """
            UPDATE region_status SET events = $2::boolean, idempotency_key_ttl_ms = $3::bigint
            WHERE region = $1::text
              AND (events = $2::boolean AND idempotency_key_ttl_ms = $3::bigint) IS NOT TRUE
            """;

    /** Says how jobs of a region are created, for the functions that do so in the transactions of applications. */
    public Uni<Void> describe(String region, boolean events, Duration keyTtl) {
        return database.run(DESCRIBE, Tuple.of(region, events, keyTtl.toMillis()))
                .replaceWithVoid();
    }

    // Judged by workers, since they do the work: of a region that still answers requests it waits all the same.
    private static final String LIVES = """
            EXISTS (SELECT 1 FROM region_heartbeats h WHERE h.region = %s AND h.component = 'worker'
              AND h.last_beat_at > pg_catalog.now() - %s * interval '1 millisecond')
            """;

    private static final String ADOPT = """
            UPDATE region_status s
            SET alive = false, failed_at = coalesce(s.failed_at, pg_catalog.now()), adopted_by = $1::text,
                updated_at = pg_catalog.now()
            WHERE s.region <> $1::text AND s.updated_at < pg_catalog.now() - $2::bigint * interval '1 millisecond'
              AND %s AND NOT %s AND (s.alive OR s.adopted_by IS NULL OR (s.adopted_by <> $1::text AND NOT %s))
            RETURNING s.region
            """.formatted(
                    LIVES.formatted("$1::text", "$2::bigint"),
                    LIVES.formatted("s.region", "$2::bigint"),
                    LIVES.formatted("s.adopted_by", "$2::bigint"));

    /**
     * Lets a region take over what silent ones have to do, also what they had taken over; returns their names. The
     * row decides between several that want to. None is silent as long as they may have had nowhere to write to.
     */
    public Uni<List<String>> adopt(String adopter, Duration silence) {
        if (database.hadOutageWithin(silence)) {
            return Uni.createFrom().item(List.of());
        }
        return database.run(ADOPT, Tuple.of(adopter, silence.toMillis())).map(RegionStore::names);
    }

    private static final String GIVE_BACK = """
            UPDATE region_status s SET alive = true, failed_at = NULL, adopted_by = NULL, updated_at = pg_catalog.now()
            WHERE NOT s.alive AND %s
            RETURNING s.region
            """.formatted(LIVES.formatted("s.region", "$1::bigint"));

    /** Leaves their work to the regions that are back; returns their names. */
    public Uni<List<String>> giveBack(Duration silence) {
        return database.run(GIVE_BACK, Tuple.of(silence.toMillis())).map(RegionStore::names);
    }

    private static List<String> names(RowSet<Row> rows) {
        return Columns.list(rows, row -> row.getString("region"));
    }
}
