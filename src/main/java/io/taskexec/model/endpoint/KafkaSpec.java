package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka topic as registered.
 *
 * @param bootstrapServers a template for {@code host:port}, several separated by commas
 * @param topic a template
 * @param keyTemplate a template, or null for a record without a key
 * @param valueTemplate a JSON tree whose strings are templates, or null for a record without a value
 * @param headers names to templates, in the order given
 * @param acks one of {@link #ACKS}
 * @param security how the cluster is connected to, in templates; null for as it is, without encryption and name
 * @param timeout bound on the whole delivery
 * @param identity what is added to the identity of each delivery
 */
public record KafkaSpec(
        String bootstrapServers,
        String topic,
        @Nullable String keyTemplate,
        @Nullable JsonNode valueTemplate,
        Map<String, String> headers,
        String acks,
        @Nullable KafkaSecurity security,
        Duration timeout,
        IdentitySpec identity)
        implements EndpointSpec {
    /** The acknowledgement that makes a success: none, the leader's, or that of all replicas in sync. */
    public static final List<String> ACKS = List.of("0", "1", "all");

    /** The most servers to begin with. */
    public static final int MAX_SERVERS = 64;

    /** The legal names of topics. */
    private static final Pattern TOPIC = Pattern.compile("(?!\\.{1,2}$)[A-Za-z0-9._-]{1,249}");

    /** The acknowledgement for an endpoint that names none. */
    public static final String DEFAULT_ACKS = "all";

    /** The timeout of an endpoint that names none. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

    /** Whether Kafka takes {@code text} for the name of a topic. */
    public static boolean isTopic(String text) {
        return TOPIC.matcher(text).matches();
    }

    @Override
    public EndpointType type() {
        return EndpointType.KAFKA;
    }

    @Override
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("bootstrap_servers", bootstrapServers).put("topic", topic);
        if (keyTemplate != null) {
            json.put("key_template", keyTemplate);
        }
        if (valueTemplate != null) {
            json.set("value_template", valueTemplate);
        }
        headers.forEach(json.putObject("headers")::put);
        json.put("acks", acks);
        if (security != null) {
            json.set("security", security.toJson());
        }
        json.put("timeout_ms", timeout.toMillis());
        identity.addTo(json);
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    static KafkaSpec of(JsonNode json) {
        return new KafkaSpec(
                json.path("bootstrap_servers").asText(),
                json.path("topic").asText(),
                json.path("key_template").textValue(),
                json.get("value_template"),
                Json.texts(json.path("headers")),
                json.path("acks").asText(),
                KafkaSecurity.of(json.get("security")),
                Duration.ofMillis(json.path("timeout_ms").longValue()),
                IdentitySpec.of(json));
    }
}
