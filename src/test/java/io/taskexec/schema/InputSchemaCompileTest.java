package io.taskexec.schema;

import static io.taskexec.schema.Schemas.json;
import static io.taskexec.schema.Schemas.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class InputSchemaCompileTest {
    @ParameterizedTest
    @ValueSource(strings = {"null", "1", "'text'", "[]", "true", "false"})
    void aSchemaIsAnObject(String schema) {
        assertThatThrownBy(() -> schema(schema))
                .isInstanceOf(InvalidSchemaException.class)
                .hasMessage("a schema is a JSON object");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://json-schema.org/draft-04/schema#",
                "http://json-schema.org/draft-06/schema",
                "https://json-schema.org/draft-07/schema#"
            })
    void theSupportedDraftsMayBeNamed(String draft) {
        assertThat(schema("{'$schema': '" + draft + "', 'type': 'object'}").validate(json("1")))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'https://json-schema.org/draft/2020-12/schema'",
                "'https://json-schema.org/draft/2019-09/schema'",
                "'http://json-schema.org/draft-03/schema#'",
                "'http://json-schema.org/schema#'",
                "'http://evil.example/draft-07/schema'",
                "''",
                "7"
            })
    void anyOtherDraftIsRefusedByName(String draft) {
        assertThatThrownBy(() -> schema("{'$schema': " + draft + "}"))
                .isInstanceOf(InvalidSchemaException.class)
                .hasMessage("$schema " + draft.replace('\'', '"') + " is not supported: use"
                        + " http://json-schema.org/draft-07/schema#, draft-06 or draft-04");
    }

    @Test
    void withoutANameTheDraftIsTheSeventh() {
        var schema = schema("{'if': {'required': ['a']}, 'then': {'required': ['b']}}");

        assertThat(schema.validate(json("{'a': 1}"))).hasSize(1);
        assertThat(schema.validate(json("{'c': 1}"))).isEmpty();
    }

    @Test
    void aKeywordOfDraftSevenMeansNothingInDraftFour() {
        var schema = schema("{'$schema': 'http://json-schema.org/draft-04/schema#',"
                + " 'if': {'required': ['a']}, 'then': {'required': ['b']}}");

        assertThat(schema.validate(json("{'a': 1}"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "prefixItems",
                "dependentRequired",
                "dependentSchemas",
                "unevaluatedProperties",
                "unevaluatedItems",
                "$dynamicRef"
            })
    void keywordsOfLaterDraftsAreRefused(String keyword) {
        assertThatThrownBy(() -> schema("{'properties': {'a': {'items': [{'" + keyword + "': {}}]}}}"))
                .isInstanceOf(InvalidSchemaException.class)
                .hasMessage("'" + keyword + "' belongs to a later draft of JSON Schema than 7, which is not supported");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'properties': {'prefixItems': {'type': 'string'}}}",
                "{'enum': [{'prefixItems': 1}]}",
                "{'default': {'unevaluatedItems': {'$ref': 'http://x.example'}}}",
                "{'const': {'$ref': 'http://x.example'}}",
                "{'properties': {'$ref': {'type': 'string'}}}",
                "{'$schema': 'http://json-schema.org/draft-07/schema#', 'prefixItems': []}"
            })
    void whatOnlyLooksLikeAForbiddenKeywordIsAllowed(String schema) {
        assertThat(schema(schema)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:1/schema.json",
                "https://json-schema.org/draft-07/schema#",
                "file:///etc/passwd",
                "classpath://application.properties",
                "jar:file:/x!/y",
                "other.json",
                "other.json#/a",
                "/etc/passwd",
                "//evil.example/x",
                ""
            })
    void aReferenceOutOfTheSchemaIsRefused(String reference) {
        assertThatThrownBy(() -> schema("{'properties': {'a': {'allOf': [{'$ref': '" + reference + "'}]}}}"))
                .isInstanceOf(InvalidSchemaException.class)
                .hasMessage("$ref '" + reference + "' is not allowed: only references within the schema, such as"
                        + " #/definitions/name, are");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://127.0.0.1:1/a.json", "file:///etc/passwd", "other/"})
    void anIdDoesNotMakeALocalReferenceRemote(String id) {
        var schema = schema("{'$id': '" + id + "', 'properties': {'a': {'$ref': '#/definitions/n'}},"
                + " 'definitions': {'n': {'type': 'number'}}}");

        assertThat(schema.validate(json("{'a': 'x'}"))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'properties': {'a': {'$ref': '#/definitions/nothing'}}}",
                "{'properties': {'a': {'$ref': '#nothing'}}}",
                "{'$id': 'http://127.0.0.1:1/', 'properties': {'a': {'$ref': '#nothing'}}}",
                "{'type': 'strng'}",
                "{'type': 7}",
                "{'properties': []}",
                "{'required': 'a'}",
                "{'minLength': 'x'}",
                "{'enum': 1}",
                "{'allOf': {}}",
                "{'minLength': 1e999999999, 'type': 'string'}",
                "{'multipleOf': 1e-999999999}"
            })
    void aMalformedSchemaIsRefusedWithAReason(String schema) {
        assertThatThrownBy(() -> schema(schema))
                .isInstanceOf(InvalidSchemaException.class)
                .message()
                .isNotBlank()
                .hasSizeLessThan(300);
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "(?=a)b", "(a)\\\\1", "[z-a]", "a{1001}"})
    void aRegularExpressionBeyondRe2IsRefused(String expression) {
        assertThatThrownBy(() -> schema("{'type': 'string', 'pattern': '" + expression + "'}"))
                .isInstanceOf(InvalidSchemaException.class)
                .message()
                .startsWith("a regular expression is not valid: ");
        assertThatThrownBy(() -> schema("{'type': 'object', 'patternProperties': {'" + expression + "': {}}}"))
                .isInstanceOf(InvalidSchemaException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "((((a{100}){100}){100}){100})",
                "(((a{1,50}){1,50}){1,50}){1,50}",
                "((a{100}){100,}){100}",
                "(((){1000}){1000}){1000}",
                "([)]a{1000}){1000}",
                "([^])]a{1000}){1000}",
                "([[:alpha:])]a{1000}){1000}",
                "(\\\\)a{1000}){1000}"
            })
    void aRegularExpressionThatExplodesIsRefused(String expression) {
        assertThatThrownBy(() -> schema("{'pattern': '" + expression + "'}"))
                .isInstanceOf(InvalidSchemaException.class);
    }

    @Test
    void aDeeplyNestedRegularExpressionDoesNoHarm() {
        var expression = "(".repeat(30_000) + ")".repeat(30_000);

        assertThatThrownBy(() -> schema("{'pattern': '" + expression + "'}"))
                .isInstanceOf(InvalidSchemaException.class);
    }

    @Test
    void sizeAndDepthAreLimited() {
        assertThat(schema("{'description': '" + "x".repeat(65_000) + "'}")).isNotNull();
        assertThatThrownBy(() -> schema("{'description': '" + "é".repeat(33_000) + "'}"))
                .hasMessage("the schema is larger than 64 KiB");
        assertThat(schema("{'items':".repeat(63) + "{}" + "}".repeat(63))).isNotNull();
        assertThatThrownBy(() -> schema("{'items':".repeat(64) + "{}" + "}".repeat(64)))
                .hasMessage("the schema has more than 64 levels");
        assertThatThrownBy(() -> schema("{'default':" + "[".repeat(900) + "]".repeat(900) + "}"))
                .hasMessage("the schema has more than 64 levels");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'allOf': [{'$ref': '#'}]}",
                "{'allOf': [{'$ref': '#/definitions/a'}], 'definitions': {'a': {'$ref': '#/definitions/b'},"
                        + " 'b': {'$ref': '#/definitions/a'}}}"
            })
    void aSchemaThatRefersToItselfWithoutEndIsRefused(String schema) {
        assertThatThrownBy(() -> schema(schema)).isInstanceOf(InvalidSchemaException.class);
    }

    @Test
    void referencesThatDoubleAtEachStepAreRefused() {
        var definitions = IntStream.range(0, 60)
                .mapToObj(i -> "'d%d': {'allOf': [{'$ref': '#/definitions/d%d'}, {'$ref': '#/definitions/d%d'}]}"
                        .formatted(i, i + 1, i + 1))
                .collect(Collectors.joining(",", "{", ", 'd60': {'type': 'object'}}"));

        assertThatThrownBy(
                        () -> schema("{'allOf': [{'$ref': '#/definitions/d0'}], 'definitions': " + definitions + "}"))
                .isInstanceOf(InvalidSchemaException.class)
                .hasMessageContaining("references");
    }
}
