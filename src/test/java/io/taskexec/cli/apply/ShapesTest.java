package io.taskexec.cli.apply;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Compares the shapes with the API: apply refuses a field that it does not know as misspelt. */
class ShapesTest {
    private static final JsonNode SCHEMAS = schemas();

    private static JsonNode schemas() {
        try {
            return Json.parse(Files.readString(Path.of("docs/openapi.json"))).at("/components/schemas");
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void theFieldsAreThoseOfTheApiAndSoAreTheRequiredOnes() {
        assertSame(Shapes.HTTP, "HttpSpec", Set.of());
        assertSame(Shapes.KAFKA, "KafkaSpec", Set.of());
        assertSame(Shapes.REDIS_STREAM, "RedisStreamSpec", Set.of());
        assertSame(Shapes.endpoint(Shapes.HTTP), "NewHttpEndpoint", Set.of("name"));
        assertSame(Shapes.endpoint(Shapes.KAFKA), "NewKafkaEndpoint", Set.of("name"));
        assertSame(Shapes.endpoint(Shapes.REDIS_STREAM), "NewRedisStreamEndpoint", Set.of("name"));
        assertSame(Shapes.CONFIG, "NewConfig", Set.of("name"));
        assertSame(Shapes.PAYLOAD_SPEC, "NewPayloadSpec", Set.of("name"));
        // The trigger follows from the schedule, and so does what is required.
        assertThat(Shapes.JOB.fields().keySet()).isEqualTo(fieldsOf("NewCronJob", "NewIntervalJob"));
    }

    /** Only those that can be applied: an idempotency key is for one request. */
    private static Set<String> fieldsOf(String... schemas) {
        var names = new TreeSet<String>();
        for (var schema : schemas) {
            SCHEMAS.path(schema).path("properties").fieldNames().forEachRemaining(names::add);
        }
        names.remove("idempotency_key");
        return names;
    }

    private static void assertSame(Shape.ObjectShape shape, String schema, Set<String> others) {
        var wanted = SCHEMAS.path(schema);
        var known = new TreeSet<String>();
        wanted.path("properties").properties().forEach(property -> known.add(property.getKey()));
        known.removeAll(others);
        assertThat(new TreeSet<>(shape.fields().keySet())).as(schema).isEqualTo(known);
        var required = new ArrayList<String>();
        shape.fields().forEach((name, field) -> {
            if (field.required()) {
                required.add(name);
            }
            assertBelow(field.shape(), wanted.path("properties").path(name));
        });
        var expected = StreamSupport.stream(wanted.path("required").spliterator(), false)
                .map(JsonNode::asText)
                .filter(name -> !others.contains(name))
                .toList();
        assertThat(required).as(schema).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static void assertBelow(Shape shape, JsonNode property) {
        var reference = property.path("$ref").asText();
        if (shape instanceof Shape.ObjectShape fields && !reference.isEmpty()) {
            assertSame(fields, reference.substring(reference.lastIndexOf('/') + 1), Set.of());
        }
    }

    @Test
    void whatMeansTheSameIsTheSame() throws Exception {
        for (var pair : List.of(
                List.of(
                        "{\"type\":\"HTTP\",\"spec\":{\"url\":\"u\",\"method\":\"POST\"}}",
                        "{\"type\":\"HTTP\",\"queue\":\"default\",\"version\":3,\"created_at\":\"x\","
                                + "\"spec\":{\"url\":\"u\",\"method\":\"POST\",\"headers\":{},\"timeout_ms\":30000,"
                                + "\"expected_status_codes\":[200,201,202,204]},\"retry_policy\":{\"max_attempts\":1,"
                                + "\"backoff\":\"exponential\",\"initial_delay_ms\":1000,\"max_delay_ms\":60000}}"),
                List.of(
                        "{\"type\":\"HTTP\",\"spec\":{\"url\":\"u\",\"method\":\"POST\",\"expected_status_codes\":[]}}",
                        "{\"type\":\"HTTP\",\"spec\":{\"url\":\"u\",\"method\":\"POST\","
                                + "\"expected_status_codes\":[200,201,202,204]}}"),
                List.of(
                        "{\"type\":\"KAFKA\",\"config\":null,\"retry_policy\":{\"initial_delay_ms\":90000},\"spec\":"
                                + "{\"bootstrap_servers\":\"b\",\"topic\":\"t\","
                                + "\"cloud_events\":{\"type\":\"io.taskexec.job\"}}}",
                        "{\"type\":\"KAFKA\",\"retry_policy\":{\"initial_delay_ms\":90000,\"max_delay_ms\":90000},"
                                + "\"spec\":{\"bootstrap_servers\":\"b\",\"topic\":\"t\","
                                + "\"cloud_events\":true,\"acks\":\"all\"}}"))) {
            assertThat(FieldDiff.between(
                            ResourceKind.ENDPOINT.normal(Json.parse(pair.get(0))),
                            ResourceKind.ENDPOINT.normal(Json.parse(pair.get(1)))))
                    .isEmpty();
        }
        assertThat(FieldDiff.between(
                        ResourceKind.JOB.normal(
                                Json.parse("{\"every\":\"PT60M\",\"ends_at\":\"2030-01-01T01:00:00+01:00\","
                                        + "\"tags\":[\"b\",\"a\"],\"jitter\":\"PT0S\"}")),
                        ResourceKind.JOB.normal(Json.parse("{\"every\":\"PT1H\",\"ends_at\":\"2030-01-01T00:00:00Z\","
                                + "\"tags\":[\"a\",\"b\"],\"overlap\":\"ALLOW\","
                                + "\"catch_up\":{\"mode\":\"ALL\",\"max\":1000}}"))))
                .isEmpty();
    }

    /** The server takes only one of them. */
    @Test
    void aWordInAnotherSpellingIsAnother() throws Exception {
        var endpoint = "{\"type\":\"HTTP\",\"spec\":{\"url\":\"u\",\"method\":\"%s\"}}";

        assertThat(FieldDiff.between(
                        ResourceKind.ENDPOINT.normal(Json.parse(endpoint.formatted("POST"))),
                        ResourceKind.ENDPOINT.normal(Json.parse(endpoint.formatted("post")))))
                .containsExactly("-   spec.method: \"POST\"", "+   spec.method: \"post\"");
    }

    @Test
    void aDifferenceIsSaidFieldByField() throws Exception {
        assertThat(FieldDiff.between(
                        Json.parse("{\"a\":{\"b\":1,\"c\":\"x\"},\"d\":[1,2]}"),
                        Json.parse("{\"a\":{\"b\":2},\"d\":[1,2,\"3\"],\"e\":{}}")))
                .containsExactly("-   a.b: 1", "+   a.b: 2", "-   a.c: \"x\"", "+   d[2]: \"3\"", "+   e: {}");
    }
}
