package io.taskexec.cli.apply;

import static io.taskexec.cli.apply.Shape.Leaf.ANY;
import static io.taskexec.cli.apply.Shape.Leaf.DURATION;
import static io.taskexec.cli.apply.Shape.Leaf.FLAG;
import static io.taskexec.cli.apply.Shape.Leaf.TEXT;
import static io.taskexec.cli.apply.Shape.Leaf.TIME;
import static io.taskexec.cli.apply.Shape.Leaf.WHOLE;
import static io.taskexec.cli.apply.Shape.Leaf.WORD;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.apply.Shape.Field;
import io.taskexec.cli.apply.Shape.Fields;
import io.taskexec.cli.apply.Shape.Many;
import io.taskexec.cli.apply.Shape.Named;
import io.taskexec.model.Json;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The shapes of what can be applied. A test compares them with docs/openapi.json. */
final class Shapes {
    /** How the fields of a table are given: their names, with {@code !} behind those that are required. */
    private static final String REQUIRED = "!";

    private static final Fields SIGNING =
            new Table().field("secrets!", new Many(TEXT, true)).shape();

    private static final Fields TLS = new Table()
            .field("client_certificate", TEXT)
            .field("client_key", TEXT)
            .field("ca_certificates", TEXT)
            .shape();

    private static final Fields OAUTH2 = new Table()
            .field("token_url!", TEXT)
            .field("client_id!", TEXT)
            .field("client_secret!", TEXT)
            .field("scope", TEXT)
            .field("audience", TEXT)
            .field("auth", WORD, "\"basic\"")
            .shape();

    private static final Fields SECURITY = new Table()
            .field("protocol!", WORD)
            .field("mechanism", WORD)
            .field("username", TEXT)
            .field("password", TEXT)
            .field("ca_certificates", TEXT)
            .field("client_certificate", TEXT)
            .field("client_key", TEXT)
            .shape();

    private static final Fields RETRY_POLICY = new Table()
            .field("max_attempts", WHOLE, "1")
            .field("backoff", WORD, "\"exponential\"")
            .field("initial_delay_ms", WHOLE, "1000")
            .field("max_delay_ms", WHOLE)
            .shape();

    static final Fields HTTP = new Table()
            .field("url!", TEXT)
            .field("method!", WORD)
            .field("headers", new Named(TEXT), "{}")
            .field("body_template", ANY)
            .field("timeout_ms", WHOLE, "30000")
            .field("expected_status_codes", new Many(WHOLE, false), "[200, 201, 202, 204]")
            .field("signing", SIGNING)
            .field("cloud_events", ANY)
            .field("tls", TLS)
            .field("oauth2", OAUTH2)
            .shape();

    static final Fields KAFKA = new Table()
            .field("bootstrap_servers!", TEXT)
            .field("topic!", TEXT)
            .field("key_template", TEXT)
            .field("value_template", ANY)
            .field("headers", new Named(TEXT), "{}")
            .field("acks", TEXT, "\"all\"")
            .field("security", SECURITY)
            .field("timeout_ms", WHOLE, "10000")
            .field("signing", SIGNING)
            .field("cloud_events", ANY)
            .shape();

    static final Fields REDIS_STREAM = new Table()
            .field("redis_url!", TEXT)
            .field("stream!", TEXT)
            .field("fields_template!", ANY)
            .field("max_len", ANY)
            .field("approximate_trimming", FLAG, "true")
            .field("timeout_ms", WHOLE, "3000")
            .field("signing", SIGNING)
            .field("cloud_events", ANY)
            .shape();

    static final Fields PAYLOAD_SPEC =
            new Table().field("schema!", new Named(ANY)).shape();

    static final Fields CONFIG = new Table().field("values!", new Named(ANY)).shape();

    /** Of the three, one must be there. */
    static final Fields SECRET = new Table()
            .field("value", TEXT)
            .field("value_env", TEXT)
            .field("value_file", TEXT)
            .shape();

    private static final Fields DST = new Table()
            .field("gap", WORD, "\"SHIFT\"")
            .field("overlap", WORD, "\"FIRST\"")
            .shape();

    private static final Fields CATCH_UP = new Table()
            .field("mode", WORD, "\"ALL\"")
            .field("max", WHOLE)
            .field("window", DURATION)
            .shape();

    static final Fields JOB = new Table()
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
            .field("tags", new Many(TEXT, false), "[]")
            .field("input", ANY)
            .shape();

    private Shapes() {}

    /** @param spec the shape that goes with its type */
    static Fields endpoint(Shape spec) {
        return new Table()
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

    private static final class Table {
        private final Map<String, Field> fields = new LinkedHashMap<>();

        Table field(String name, Shape shape) {
            fields.put(name.replace(REQUIRED, ""), new Field(shape, name.endsWith(REQUIRED), null));
            return this;
        }

        /** @param usual JSON */
        Table field(String name, Shape shape, String usual) {
            fields.put(name, new Field(shape, false, json(usual)));
            return this;
        }

        Fields shape() {
            return new Fields(fields);
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
