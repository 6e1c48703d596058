package io.taskexec.store.execution;

import static io.taskexec.model.queue.QueueDetails.SLOW_START;
import static io.taskexec.store.sql.Columns.durationOrNull;

import io.taskexec.model.flow.RateLimit;
import io.vertx.mutiny.sqlclient.Row;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The room that the limits of a queue leave.
 *
 * @param places how many more may run at once; null for any number
 * @param rate how many may begin; null for any number
 * @param ahead how far the tokens are spent already
 * @param marksIn until what runs of the queue can be counted; null when it is
 */
public record QueueRoom(
        int queueId,
        @Nullable Integer places,
        @Nullable RateLimit rate,
        Duration ahead,
        @Nullable Duration marksIn) {
    /** The SQL for when a queue {@code q} began to run again after its last pause. */
    static final String RESUMED_AT = """
            CASE WHEN q.paused_until <= now() THEN q.paused_until ELSE q.resumed_at END""";

    /** The SQL for whether a queue {@code q} still gets its slots step by step. */
    static final String STARTS_SLOWLY = """
            %s > now() - interval '%d seconds'""".formatted(RESUMED_AT, SLOW_START.toSeconds());

    /** A queue begins with one part of so many of the slots after a pause. */
    private static final int PARTS = 10;

    /** A place may be given back by another process. */
    private static final Duration UNTIL_PLACE = Duration.ofMillis(250);

    /** Tokens are waited for together, as long as the burst lets none be lost. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(50);

    /**
     * A time to wait.
     *
     * @param forPlace whether it ends when an execution of the queue ends
     */
    public record Wait(Duration time, boolean forPlace) {}

    /** @param slots of one worker, of which all have as many */
    static QueueRoom read(Row row, int slots) {
        var cap = row.getInteger("max_concurrency");
        var resumedMs = row.getLong("resumed_ms");
        if (resumedMs != null && resumedMs < SLOW_START.toMillis()) {
            var all = Math.max(1, row.getInteger("workers")) * slots;
            cap = slowStart(cap == null ? all : Math.min(cap, all), Duration.ofMillis(resumedMs));
        }
        var limit = row.getInteger("rate_limit");
        return new QueueRoom(
                row.getInteger("queue_id"),
                cap == null ? null : cap - row.getInteger("running"),
                limit == null
                        ? null
                        : new RateLimit(
                                limit, Duration.ofMillis(row.getLong("rate_per_ms")), row.getInteger("rate_burst")),
                Duration.ofNanos(row.getLong("ahead_us") * 1000),
                durationOrNull(row, "marks_in_ms"));
    }

    /** The number of {@code all} that may run so long after the end of a pause. */
    public static int slowStart(int all, Duration since) {
        var later = Math.ceilDiv((long) all * (PARTS - 1) * since.toMillis(), PARTS * SLOW_START.toMillis());
        return (int) Math.min(all, Math.ceilDiv(all, PARTS) + later);
    }

    /** The most executions that may begin now. */
    int most() {
        if (marksIn != null) {
            return 0;
        }
        return Math.max(0, Math.min(places == null ? Integer.MAX_VALUE : places, tokens()));
    }

    private int tokens() {
        if (rate == null) {
            return Integer.MAX_VALUE;
        }
        var credit = tolerance(rate) - ahead.toNanos() / 1000;
        return credit < 0 ? 0 : Math.toIntExact(Math.min(rate.burst(), credit / rate.spacingMicros() + 1));
    }

    /** The time by which tokens may be spent before they come, in microseconds. */
    private static long tolerance(RateLimit rate) {
        return (rate.burst() - 1) * rate.spacingMicros();
    }

    /**
     * When to look again after so many have begun; null when more may begin.
     *
     * @param taken how many
     */
    @Nullable
    Wait waitAfter(int taken) {
        if (marksIn != null) {
            return new Wait(marksIn, false);
        }
        if (places != null && taken >= places) {
            return new Wait(UNTIL_PLACE, true);
        }
        return rate == null || taken < tokens() ? null : new Wait(untilTokens(rate, taken), false);
    }

    private Duration untilTokens(RateLimit rate, int taken) {
        var spent = ahead.toNanos() / 1000 + taken * rate.spacingMicros();
        var together = Math.min(tolerance(rate) / 2, LONGEST_WAIT.toNanos() / 1000);
        return Duration.ofNanos(Math.max(1, spent - tolerance(rate) + together) * 1000);
    }
}
