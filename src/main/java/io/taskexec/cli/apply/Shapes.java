package io.taskexec.cli.apply;

import static io.taskexec.cli.apply.Shape.Scalar.ANY;
import static io.taskexec.cli.apply.Shape.Scalar.DURATION;
import static io.taskexec.cli.apply.Shape.Scalar.FLAG;
import static io.taskexec.cli.apply.Shape.Scalar.TEXT;
import static io.taskexec.cli.apply.Shape.Scalar.TIME;
import static io.taskexec.cli.apply.Shape.Scalar.WHOLE;
import static io.taskexec.cli.apply.Shape.Scalar.WORD;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.apply.Shape.ListShape;
import io.taskexec.cli.apply.Shape.MapShape;
import io.taskexec.cli.apply.Shape.ObjectShape;
import io.taskexec.cli.apply.Shape.Property;
import io.taskexec.model.Json;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Defines the shapes of resources that can be applied. A test compares them with docs/openapi.json. */
final class Shapes {
    /** Marks a required field, behind its name. */
    private static final String REQUIRED = "!";

    private static final ObjectShape SIGNING =
            new Builder().field("secrets!", new ListShape(TEXT, true)).shape();

    private static final ObjectShape TLS = new Builder()
            .field("client_certificate", TEXT)
            .field("client_key", TEXT)
            .field("ca_certificates", TEXT)
            .shape();

    private static final ObjectShape OAUTH2 = new Builder()
            .field("token_url!", TEXT)
            .field("client_id!", TEXT)
            .field("client_secret!", TEXT)
            .field("scope", TEXT)
            .field("audience", TEXT)
            .field("auth", WORD, "\"basic\"")
            .shape();

    private static final ObjectShape SECURITY = new Builder()
            .field("protocol!", WORD)
            .field("mechanism", WORD)
            .field("username", TEXT)
            .field("password", TEXT)
            .field("ca_certificates", TEXT)
            .field("client_certificate", TEXT)
            .field("client_key", TEXT)
            .shape();

    private static final ObjectShape RETRY_POLICY = new Builder()
            .field("max_attempts", WHOLE, "1")
            .field("backoff", WORD, "\"exponential\"")
            .field("initial_delay_ms", WHOLE, "1000")
            .field("max_delay_ms", WHOLE)
            .shape();

    static final ObjectShape HTTP = new Builder()
            .field("url!", TEXT)
            .field("method!", WORD)
            .field("headers", new MapShape(TEXT), "{}")
            .field("body_template", ANY)
            .field("timeout_ms", WHOLE, "30000")
            .field("expected_status_codes", new ListShape(WHOLE, false), "[200, 201, 202, 204]")
            .field("signing", SIGNING)
            .field("cloud_events", ANY)
            .field("tls", TLS)
            .field("oauth2", OAUTH2)
            .shape();

    static final ObjectShape KAFKA = new Builder()
            .field("bootstrap_servers!", TEXT)
            .field("topic!", TEXT)
            .field("key_template", TEXT)
            .field("value_template", ANY)
            .field("headers", new MapShape(TEXT), "{}")
            .field("acks", TEXT, "\"all\"")
            .field("security", SECURITY)
            .field("timeout_ms", WHOLE, "10000")
            .field("signing", SIGNING)
            .field("cloud_events", ANY)
            .shape();

    static final ObjectShape REDIS_STREAM = new Builder()
            .field("redis_url!", TEXT)
            .field("stream!", TEXT)
            .field("fields_template!", ANY)
            .field("max_len", ANY)
            .field("approximate_trimming", FLAG, "true")
            .field("timeout_ms", WHOLE, "3000")
            .field("signing", SIGNING)
            .field("cloud_events", ANY)
            .shape();

    static final ObjectShape PAYLOAD_SPEC =
            new Builder().field("schema!", new MapShape(ANY)).shape();

    static final ObjectShape CONFIG =
            new Builder().field("values!", new MapShape(ANY)).shape();

    /** Exactly one of the three is required. */
    static final ObjectShape SECRET = new Builder()
            .field("value", TEXT)
            .field("value_env", TEXT)
            .field("value_file", TEXT)
            .shape();

    private static final ObjectShape DST = new Builder()
            .field("gap", WORD, "\"SHIFT\"")
            .field("overlap", WORD, "\"FIRST\"")
            .shape();

    private static final ObjectShape CATCH_UP = new Builder()
            .field("mode", WORD, "\"ALL\"")
            .field("max", WHOLE)
            .field("window", DURATION)
            .shape();

    static final ObjectShape JOB = new Builder()
            .field("endpoint!", TEXT)
            .field("trigger", WORD)
            .field("cron", TEXT)
            .field("timezone", TEXT)
            .field("dst", DST)
            .field("every", DURATION)
            .field("starts_at", TIME)
            .field("ends_at", TIME)
            .field("max_fires", WHOLE)
            .field("catch_up", CATCH_UP, "{}")
            .field("overlap", WORD, "\"ALLOW\"")
            .field("jitter", DURATION)
            .field("priority", WHOLE, "4")
            .field("tags", new ListShape(TEXT, false), "[]")
            .field("input", ANY)
            .shape();

    private Shapes() {}

    /** @param spec the shape of the spec for the type of the endpoint */
    static ObjectShape endpoint(Shape spec) {
        return new Builder()
                .field("type!", WORD)
                .field("payload_spec", TEXT)
                .field("config", TEXT)
                .field("queue", TEXT, "\"default\"")
                .field("spec!", spec)
                .field("retry_policy", RETRY_POLICY, "{}")
                .field("on_success", TEXT)
                .field("on_failure", TEXT)
                .field("on_worker_lost", WORD, "\"retry\"")
                .shape();
    }

    private static final class Builder {
        private final Map<String, Property> fields = new LinkedHashMap<>();

        Builder field(String name, Shape shape) {
            fields.put(name.replace(REQUIRED, ""), new Property(shape, name.endsWith(REQUIRED), null));
            return this;
        }

        /** @param defaultValue as JSON */
        Builder field(String name, Shape shape, String defaultValue) {
            fields.put(name, new Property(shape, false, json(defaultValue)));
            return this;
        }

        ObjectShape shape() {
            return new ObjectShape(fields);
        }

        private static JsonNode json(String text) {
            try {
                return Json.parse(text);
            } catch (JsonProcessingException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
