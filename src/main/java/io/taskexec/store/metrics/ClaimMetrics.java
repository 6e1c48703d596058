package io.taskexec.store.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Timer;
import io.taskexec.observe.metrics.Meters;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import java.util.concurrent.TimeUnit;

/**
 * Measures claims: executions at a time, seconds that each had been due by the clock of the database, at most a day,
 * and how many of them had lost a worker. A claim that brings nothing is not counted.
 */
public final class ClaimMetrics {
    /**
     * Columns that the first row of a claim has, and the others leave empty; they read the CTE {@code due}. Unlike
     * {@code extract}, {@code date_part} goes without the slow exact numbers.
     */
    public static final String COLUMNS = columns("");

    /** The same, where not all that was due is claimed. */
    public static final String KEYED_COLUMNS =
            columns("\n    WHERE (execution_id IN (SELECT execution_id FROM claimed)) IS TRUE");

    private static String columns(String claimed) {
        return """
            , CASE WHEN row_number() OVER () = 1 THEN (
                SELECT array_agg(date_part('epoch', now() - greatest(visible_at, now() - interval '24 hours')))
                FROM due%s
              ) END AS waits,
              CASE WHEN row_number() OVER () = 1 THEN (SELECT count(*) FROM due WHERE lease_token IS NOT NULL)
              END AS rescues_now
            """.formatted(claimed);
    }

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final DistributionSummary size;
    private final Timer latency;
    private final Counter rescues;

    ClaimMetrics(Meters meters) {
        size = meters.sizes("taskexec.claim.batch.size", "Executions that one claim of the role worker brought");
        latency = meters.timer(
                "taskexec.pickup.latency", "From when an execution became due to its claim, by the database's clock");
        rescues = meters.counter("taskexec.lease.rescues", "Executions that were claimed after their worker was lost");
    }

    /** The answer to a claim that was asked for {@link #COLUMNS} and has brought {@code count} executions. */
    public void claimed(RowSet<Row> rows, int count) {
        if (count > 0) {
            size.record(count);
            found(rows);
        }
    }

    /** The same of a claim for pull workers, which says nothing about the role worker. */
    public void leased(RowSet<Row> rows, int count) {
        if (count > 0) {
            found(rows);
        }
    }

    private void found(RowSet<Row> rows) {
        var first = rows.iterator().next();
        var lost = first.getLong("rescues_now");
        if (lost != null && lost > 0) {
            rescues.increment((double) lost);
        }
        var waits = first.getArrayOfDoubles("waits");
        if (waits != null) {
            for (var seconds : waits) {
                latency.record((long) (seconds * NANOS), TimeUnit.NANOSECONDS);
            }
        }
    }

    /** An execution was leased as it was created. */
    public void claimedAtOnce() {
        latency.record(0, TimeUnit.NANOSECONDS);
    }
}
