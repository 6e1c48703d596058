package io.taskexec.model.flow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Limits the executions of an endpoint, for each flow key apart.
 *
 * @param key the template of the key; null when all jobs of the endpoint have the same limit
 * @param maxConcurrency executions of a key that run at once, over all workers; null for any number
 * @param rate null for any rate
 * @param fair whether a key has only a few executions before those of other keys
 */
public record FlowPolicy(
        @Nullable String key,
        @Nullable Integer maxConcurrency,
        @Nullable RateLimit rate,
        Order order,
        boolean fair) {
    /** The longest template of a key, in characters. */
    public static final int MAX_TEMPLATE = 1024;

    /** The highest cap. */
    public static final int MAX_CONCURRENCY = 100_000;

    /** The order in which the executions of a key begin. */
    public enum Order implements io.taskexec.model.Option {
        /** By priority, but a retry lets others pass. */
        ANY,
        /** By run time, one after the other, each to its end with all retries. */
        FIFO
    }

    /** Whether there is a limit at all. */
    public boolean isLimiting() {
        return maxConcurrency != null || rate != null || fair;
    }

    /** Whether executions of a key run one after the other. */
    public boolean isFifo() {
        return order == Order.FIFO;
    }

    /** The form that the API shows and the store keeps. */
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        if (key != null) {
            json.put("key", key);
        }
        if (maxConcurrency != null) {
            json.put("max_concurrency", maxConcurrency);
        }
        if (rate != null) {
            json.set("rate", rate.toJson());
        }
        return json.put("order", order.word()).put("fair", fair);
    }

    /** Reads back what {@link #toJson} wrote. */
    public static FlowPolicy of(JsonNode json) {
        return new FlowPolicy(
                json.path("key").textValue(),
                json.has("max_concurrency") ? json.path("max_concurrency").intValue() : null,
                json.has("rate") ? RateLimit.of(json.path("rate")) : null,
                Order.valueOf(json.path("order").asText().toUpperCase(Locale.ROOT)),
                json.path("fair").booleanValue());
    }
}
