package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A Redis stream as registered.
 *
 * @param redisUrl a template for a {@code redis://} or {@code rediss://} URL
 * @param stream a template for the stream's key
 * @param fieldsTemplate an object with a member for each field of an entry; the strings in it are templates
 * @param maxLen a positive whole number or a string that is one placeholder for one; null for a stream that only grows
 * @param approximateTrimming whether Redis may keep somewhat more than {@code maxLen} entries, which is cheaper
 * @param timeout bound on the whole delivery
 * @param identity what is added to the identity of each delivery
 */
public record RedisStreamSpec(
        String redisUrl,
        String stream,
        JsonNode fieldsTemplate,
        @Nullable JsonNode maxLen,
        boolean approximateTrimming,
        Duration timeout,
        IdentitySpec identity)
        implements EndpointSpec {
    /** The timeout of an endpoint that names none. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(3);

    @Override
    public EndpointType type() {
        return EndpointType.REDIS_STREAM;
    }

    @Override
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("redis_url", redisUrl).put("stream", stream).set("fields_template", fieldsTemplate);
        if (maxLen != null) {
            json.set("max_len", maxLen);
        }
        json.put("approximate_trimming", approximateTrimming).put("timeout_ms", timeout.toMillis());
        identity.addTo(json);
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    static RedisStreamSpec of(JsonNode json) {
        return new RedisStreamSpec(
                json.path("redis_url").asText(),
                json.path("stream").asText(),
                json.path("fields_template"),
                json.get("max_len"),
                json.path("approximate_trimming").asBoolean(),
                Duration.ofMillis(json.path("timeout_ms").longValue()),
                IdentitySpec.of(json));
    }
}
