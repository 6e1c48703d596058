package io.taskexec.api.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.Failure;
import io.taskexec.model.queue.Queue;
import io.taskexec.secret.ApiKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The rules that make the OpenAPI document readable, and usable for the generators of clients with their defaults. */
class OpenApiDocumentTest {
    private static final JsonNode DOCUMENT = document();
    private static final JsonNode SCHEMAS = DOCUMENT.at("/components/schemas");
    private static final String REFERENCE = "#/components/schemas/";

    /** Names that say nothing without a package around them, or that languages have given away. */
    private static final Set<String> POOR_NAMES = Set.of(
            "Error",
            "Flag",
            "Gap",
            "Instant",
            "Item",
            "Json",
            "JsonObject",
            "Kind",
            "Map",
            "Mode",
            "Object",
            "OffsetDateTime",
            "Overlap",
            "Period",
            "Record",
            "State",
            "Stats",
            "Status",
            "String",
            "Type");

    private static JsonNode document() {
        try {
            return Json.parse(Files.readString(Path.of("docs/openapi.json")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theIntroductionSaysWhatEveryClientNeeds() {
        assertThat(DOCUMENT.at("/info/description").asText())
                .contains(
                        "Authorization: Bearer", "request_id", "cursor", "Idempotency-Key", "If-Match", "Retry-After");
        assertThat(DOCUMENT.at("/servers/0/url").asText()).isNotEmpty();
        assertThat(DOCUMENT.path("servers"))
                .allSatisfy(server ->
                        assertThat(server.path("description").asText()).isNotEmpty());
    }

    @Test
    void everyTagIsDescribedAndUsed() {
        var described = new TreeSet<String>();
        DOCUMENT.path("tags").forEach(tag -> {
            assertThat(tag.path("description").asText()).as(tag.toString()).endsWith(".");
            described.add(tag.path("name").asText());
        });
        var used = new TreeSet<String>();
        operations().values().forEach(operation -> operation.path("tags").forEach(tag -> used.add(tag.asText())));
        assertThat(described).isEqualTo(used);
    }

    @Test
    void everyOperationHasAnIdAndACommandAsItsSummary() {
        var ids = new HashSet<String>();
        assertThat(operations()).hasSizeGreaterThan(30).allSatisfy((route, operation) -> {
            assertThat(operation.path("operationId").asText()).matches("[a-z]+[A-Z][A-Za-z]*");
            assertThat(ids.add(operation.path("operationId").asText())).isTrue();
            assertThat(operation.path("summary").asText()).matches("[A-Z][a-z]*[a-rt-z] .*[^.]\\.");
            assertThat(operation.path("tags")).hasSize(1);
        });
    }

    @Test
    void everyParameterHasATypeAndADescription() {
        assertThat(operations())
                .allSatisfy((route, operation) -> operation.path("parameters").forEach(given -> {
                    var parameter = resolved(given);
                    assertThat(parameter.path("description").asText())
                            .as("%s: %s", route, parameter.path("name").asText())
                            .endsWith(".")
                            .doesNotMatch("Only those with this (wait|open)\\.");
                    assertThat(parameter.path("schema").size()).isPositive();
                }));
    }

    @Test
    void pathsTakeWhatTheirResourcesAreCalled() {
        var id = UUID.randomUUID();
        assertThat(Map.of(
                        "/jobs/{id}", PublicId.JOB.show(id),
                        "/executions/{id}", PublicId.EXECUTION.show(id),
                        "/approvals/{id}", PublicId.EXECUTION.show(id),
                        "/workflows/{id}", PublicId.WORKFLOW.show(id),
                        "/operations/{id}", PublicId.OPERATION.show(id),
                        "/keys/{id}", ApiKeys.generateId(),
                        "/queues/{name}", Queue.ofWorkers("resize"),
                        "/callbacks/{token}", "k1.A-_",
                        "/endpoints/{name}/keys/{key}", "_target:https://a"))
                .allSatisfy((path, name) -> {
                    var parameters = DOCUMENT.path("paths").path(path).findValues("parameters");
                    assertThat(parameters).isNotEmpty();
                    parameters.forEach(given -> stream(given)
                            .filter(parameter -> parameter.path("in").asText().equals("path"))
                            .forEach(parameter -> assertThat(name)
                                    .matches(parameter.at("/schema/pattern").asText(".*"))));
                });
    }

    /** A pattern of a JSON Schema that is not anchored is searched for. */
    @Test
    void patternsAreOfWholeTexts() {
        visit((where, schema) -> {
            if (schema.path("pattern").isTextual()) {
                assertThat(schema.path("pattern").asText())
                        .as(where)
                        .startsWith("^")
                        .endsWith("$");
            }
        });
    }

    @Test
    void onlyListsThatAreRefusedWithAnElementTwiceSaySo() {
        var unique = new TreeSet<String>();
        SCHEMAS.properties()
                .forEach(schema -> schema.getValue().path("properties").properties().stream()
                        .filter(property ->
                                property.getValue().path("uniqueItems").asBoolean())
                        .forEach(property -> unique.add(schema.getKey() + "/" + property.getKey())));

        assertThat(unique)
                .containsExactly(
                        "Completion/modes", "LeaseRequest/endpoints", "NewApiKey/endpoints", "WorkflowJob/depends_on");
    }

    @Test
    void runsOfWorkflowsCanBeListedByAllOfTheirStatuses() {
        assertThat(stream(DOCUMENT.at("/paths/~1workflows/get/parameters"))
                        .flatMap(parameter -> texts(parameter.at("/schema/enum")).stream()))
                .contains("RUNNING", "CANCELLING");
    }

    @Test
    void resultsHaveTheMembersThatAreStored() {
        var failure = new Failure(Failure.Type.RECEIVER_FAILED, "a", 1, "b", "c");
        assertThat(SCHEMAS.at("/DeliveryOutput/properties").fieldNames())
                .toIterable()
                .contains("json");
        failure.toJson()
                .fieldNames()
                .forEachRemaining(member -> assertThat(
                                SCHEMAS.at("/DeliveryError/properties").has(member))
                        .as(member)
                        .isTrue());
        assertThat(SCHEMAS.at("/ExecutionRef/properties")).isEqualTo(SCHEMAS.at("/Execution/properties"));
        assertThat(texts(SCHEMAS.at("/ExecutionRef/required")))
                .containsExactlyInAnyOrder("execution_id", "status", "created_at");
    }

    @Test
    void everyOperationAnswersErrorsOfOneSchema() {
        assertThat(operations()).allSatisfy((route, operation) -> {
            var responses = operation.path("responses");
            assertThat(responses.fieldNames()).toIterable().as(route).contains("429", "500", "503");
            assertThat(responses.has("401") && responses.has("403"))
                    .as(route)
                    .isEqualTo(!operation.path("security").isEmpty()
                            || operation.path("security").isMissingNode());
            responses.properties().forEach(response -> {
                if (response.getKey().charAt(0) >= '4') {
                    assertThat(response.getValue()
                                    .at("/content/application~1json/schema/$ref")
                                    .asText())
                            .as("%s %s", route, response.getKey())
                            .isEqualTo(REFERENCE + "ErrorResponse");
                }
            });
            assertThat(responses.at("/429/headers").has("Retry-After")).isTrue();
            assertThat(responses.at("/503/headers").has("Retry-After")).isTrue();
        });
    }

    @Test
    void whatMayBeOneOfSeveralIsToldApartByOneProperty() {
        visit((where, schema) -> {
            if (schema.has("oneOf")) {
                var property = schema.at("/discriminator/propertyName").asText();
                assertThat(property).as(where).isNotEmpty();
                var members = new ArrayList<String>();
                schema.path("oneOf")
                        .forEach(member -> members.add(member.path("$ref").asText()));
                var mapped = new ArrayList<String>();
                schema.at("/discriminator/mapping").properties().forEach(entry -> {
                    var member = SCHEMAS.path(name(entry.getValue().asText()));
                    assertThat(texts(member.path("required"))).as(where).contains(property);
                    assertThat(texts(member.path("properties").path(property).path("enum")))
                            .as(where)
                            .containsExactly(entry.getKey());
                    mapped.add(entry.getValue().asText());
                });
                assertThat(mapped).as(where).containsExactlyInAnyOrderElementsOf(members);
            }
            schema.path("anyOf")
                    .forEach(member -> assertThat(schema.path("anyOf").size() == 2
                                    && (member.has("$ref")
                                            || member.path("type").asText().equals("null")))
                            .as("%s: anyOf is for what may be null", where)
                            .isTrue());
            assertThat(schema.has("allOf")).as("%s: allOf", where).isFalse();
        });
    }

    @Test
    void everySchemaIsUsed() {
        var used = new HashSet<String>();
        collect(DOCUMENT.path("paths"), used);
        assertThat(SCHEMAS.fieldNames()).toIterable().containsExactlyInAnyOrderElementsOf(used);
    }

    private static void collect(JsonNode node, Set<String> used) {
        var reference = node.path("$ref").asText();
        if (reference.startsWith(REFERENCE) && used.add(name(reference))) {
            collect(SCHEMAS.path(name(reference)), used);
        }
        node.forEach(child -> collect(child, used));
    }

    @Test
    void theNamesOfSchemasStandForThemselves() {
        assertThat(SCHEMAS.fieldNames())
                .toIterable()
                .allSatisfy(name -> assertThat(name)
                        .matches("([A-Z][A-Za-z]*[a-z]|[A-Za-z]+)")
                        .doesNotEndWith("View"))
                .doesNotContainAnyElementsOf(POOR_NAMES);
    }

    @Test
    void noTwoEnumsAreTheSameAndOnlyShortOnesHaveNoName() {
        var seen = new HashMap<List<String>, String>();
        visit((where, schema) -> {
            var values = texts(schema.path("enum"));
            if (values.size() > 1) {
                var before = seen.put(values, where);
                assertThat(before).as("%s is also %s", where, before).isNull();
            }
        });
    }

    @Test
    void numbersAndTimesHaveAFormat() {
        visit((where, schema) -> {
            if (schema.path("type").asText().equals("integer")) {
                assertThat(schema.path("format").asText()).as(where).matches("int(32|64)");
            }
            schema.path("properties").properties().forEach(property -> {
                if (property.getKey().endsWith("_at")) {
                    assertThat(property.getValue().path("format").asText())
                            .as("%s/%s", where, property.getKey())
                            .isEqualTo("date-time");
                }
            });
        });
    }

    /** Generators take {@code additionalProperties: false} of OpenAPI 3.1 for a map of anything. */
    @Test
    void bodiesAreClosedInTheWayThatGeneratorsUnderstand() {
        var bodies = new TreeSet<String>();
        visit((where, schema) -> assertThat(schema.path("additionalProperties").isBoolean()
                        && !schema.path("additionalProperties").booleanValue())
                .as(where)
                .isFalse());
        operations()
                .values()
                .forEach(operation -> operation.at("/requestBody/content").forEach(content -> {
                    var body = SCHEMAS.path(name(content.at("/schema/$ref").asText()));
                    (body.has("oneOf")
                                    ? stream(body.path("oneOf"))
                                            .map(it -> name(it.path("$ref").asText()))
                                    : Stream.of(name(content.at("/schema/$ref").asText())))
                            .forEach(bodies::add);
                }));
        assertThat(bodies)
                .isNotEmpty()
                .allSatisfy(name -> assertThat(SCHEMAS.path(name).has("unevaluatedProperties"))
                        .as(name)
                        .isTrue());
    }

    /** Else clients that cannot tell null from absent remove what they do not mention. */
    @Test
    void everyFieldOfAMergePatchMayBeNullOrHasOneMeaning() {
        SCHEMAS.properties().stream()
                .filter(schema -> schema.getKey().endsWith("Patch"))
                .flatMap(schema -> schema.getValue().path("properties").propertyStream())
                .forEach(field -> assertThat(field.getValue().has("enum")
                                || texts(field.getValue().path("type")).contains("null")
                                || field.getValue().path("anyOf").size() == 2)
                        .as(field.toString())
                        .isTrue());
    }

    @Test
    void anObjectHasKnownFieldsOrIsAMap() {
        visit((where, schema) -> {
            if (schema.path("type").asText().equals("object")) {
                assertThat(schema.has("properties") || schema.has("additionalProperties"))
                        .as(where)
                        .isTrue();
            }
        });
    }

    /** All schemas with where they are, those within others included. */
    private static void visit(BiConsumer<String, JsonNode> visitor) {
        SCHEMAS.properties().forEach(schema -> visit(schema.getKey(), schema.getValue(), visitor));
        visit("paths", DOCUMENT.path("paths"), visitor);
    }

    private static void visit(String where, JsonNode node, BiConsumer<String, JsonNode> visitor) {
        visitor.accept(where, node);
        if (node.isArray()) {
            node.forEach(child -> visit(where, child, visitor));
        }
        node.properties().forEach(child -> visit(where + "/" + child.getKey(), child.getValue(), visitor));
    }

    private static Map<String, JsonNode> operations() {
        var operations = new TreeMap<String, JsonNode>();
        DOCUMENT.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(operation ->
                                operations.put(operation.getKey() + " " + path.getKey(), operation.getValue())));
        return operations;
    }

    private static JsonNode resolved(JsonNode parameter) {
        return parameter.has("$ref")
                ? DOCUMENT.at(parameter.path("$ref").asText().substring(1))
                : parameter;
    }

    private static String name(String reference) {
        return reference.replace(REFERENCE, "");
    }

    private static List<String> texts(JsonNode array) {
        return stream(array).map(JsonNode::asText).toList();
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
