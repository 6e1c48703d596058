package io.taskexec.model.activity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts durations in buckets that grow with them, so that those of several processes can be added up.
 *
 * @param counts by bucket; a bucket holds durations of at most e^(bucket / 10) - 1 milliseconds
 */
public record Latencies(SortedMap<Integer, Long> counts) {
    /** The number of buckets: longer durations than about five hours are in the last one. */
    public static final int BUCKETS = 168;

    public static final Latencies NONE = new Latencies(new TreeMap<>());

    private static final double BUCKETS_PER_E = 10;

    /** Returns the bucket of a duration. */
    public static int bucket(long nanos) {
        var millis = Math.max(0, nanos) / (double) TimeUnit.MILLISECONDS.toNanos(1);
        return Math.min(BUCKETS - 1, (int) Math.ceil(Math.log1p(millis) * BUCKETS_PER_E));
    }

    /** Returns the sums of two. */
    public Latencies plus(Latencies other) {
        var sums = new TreeMap<>(counts);
        other.counts.forEach((bucket, count) -> sums.merge(bucket, count, Long::sum));
        return new Latencies(sums);
    }

    /** Returns what is more than in these, which are part of it. */
    public Latencies minus(Latencies part) {
        var rest = new TreeMap<>(counts);
        part.counts.forEach((bucket, count) -> rest.merge(bucket, -count, Long::sum));
        rest.values().removeIf(count -> count == 0);
        return new Latencies(rest);
    }

    /**
     * The duration that a share of all stays within, in milliseconds and up to a tenth too high; null when there is
     * none.
     *
     * @param share from 0 to 1
     */
    public @Nullable Double percentileMs(double share) {
        var rank = Math.ceil(counts.values().stream().mapToLong(Long::longValue).sum() * share);
        var seen = 0L;
        for (var entry : counts.entrySet()) {
            seen += entry.getValue();
            if (seen >= rank) {
                return Math.round(Math.expm1(entry.getKey() / BUCKETS_PER_E) * 10) / 10.0;
            }
        }
        return null;
    }

    /** Returns the form that is kept. */
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        counts.forEach((bucket, count) -> json.put(Integer.toString(bucket), count));
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    public static Latencies of(JsonNode json) {
        var counts = new TreeMap<Integer, Long>();
        for (Map.Entry<String, JsonNode> bucket : json.properties()) {
            counts.put(Integer.valueOf(bucket.getKey()), bucket.getValue().asLong());
        }
        return new Latencies(counts);
    }
}
