package io.taskexec.store.forecast;

import static io.taskexec.store.sql.Columns.instantOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the limits of endpoints and queues for starts, and what keeps everything of one from starting. */
@Singleton
public final class StartLimits {
    private final Database database;

    public StartLimits(Database database) {
        this.database = database;
    }

    /**
     * A limit of the rate.
     *
     * @param spacing the time between two starts
     * @param burst how many may begin at once after a quiet time
     */
    public record Rate(Duration spacing, int burst) {}

    /**
     * An endpoint with a limit, or one that is disabled.
     *
     * @param isDisabled whether nothing of it starts
     * @param maxConcurrency null for any number; of an endpoint whose flow keys have limits apart too
     * @param adaptiveLimit the same, found out from the answers of its receiver
     * @param rate null for any rate; of an endpoint whose flow keys have limits apart too
     */
    public record OfEndpoint(
            String endpoint,
            boolean isDisabled,
            @Nullable Integer maxConcurrency,
            @Nullable Integer adaptiveLimit,
            @Nullable Rate rate) {}

    /**
     * A queue.
     *
     * @param isPaused whether nothing of it starts now
     * @param pausedUntil null for an open end
     * @param maxConcurrency null for any number
     * @param rate null for any rate
     */
    public record OfQueue(
            int id,
            String name,
            boolean isPaused,
            @Nullable Instant pausedUntil,
            @Nullable Integer maxConcurrency,
            @Nullable Rate rate) {}

    private static final String ENDPOINTS = """
            SELECT e.name, d.endpoint IS NOT NULL AS is_disabled, p.max_concurrency, p.adaptive_limit,
              p.rate_spacing_us, p.rate_burst
            FROM endpoints e
            JOIN endpoint_versions v ON v.name = e.name AND v.version = e.version
            LEFT JOIN flow_policies p ON p.endpoint = e.name AND (v.flow ->> 'key') IS NULL
            LEFT JOIN disabled_endpoints d ON d.endpoint = e.name
            WHERE p.endpoint IS NOT NULL OR d.endpoint IS NOT NULL
            """;

    /** The endpoints that have a limit, or are disabled. */
    public Uni<List<OfEndpoint>> endpoints() {
        return database.run(ENDPOINTS, Tuple.tuple())
                .map(rows -> Columns.list(
                        rows,
                        row -> new OfEndpoint(
                                row.getString("name"),
                                row.getBoolean("is_disabled"),
                                row.getInteger("max_concurrency"),
                                row.getInteger("adaptive_limit"),
                                rate(row))));
    }

    // A rate of a queue is rounded as workers round it, so that it is kept.
    private static final String QUEUES = """
            SELECT queue_id, name, %s AS is_paused, paused_until, max_concurrency,
              ceil((rate_per_ms * 1000)::float8 / rate_limit::float8)::bigint AS rate_spacing_us, rate_burst
            FROM queues WHERE deleted_at IS NULL
            """.formatted(Lanes.IS_PAUSED);

    /** All queues. */
    public Uni<List<OfQueue>> queues() {
        return database.run(QUEUES, Tuple.tuple())
                .map(rows -> Columns.list(
                        rows,
                        row -> new OfQueue(
                                row.getInteger("queue_id"),
                                row.getString("name"),
                                row.getBoolean("is_paused"),
                                instantOrNull(row, "paused_until"),
                                row.getInteger("max_concurrency"),
                                rate(row))));
    }

    private static @Nullable Rate rate(Row row) {
        var spacing = row.getLong("rate_spacing_us");
        return spacing == null ? null : new Rate(Duration.of(spacing, ChronoUnit.MICROS), row.getInteger("rate_burst"));
    }
}
