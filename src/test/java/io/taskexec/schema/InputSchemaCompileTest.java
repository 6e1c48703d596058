package io.taskexec.schema;

import static io.taskexec.schema.Schemas.json;
import static io.taskexec.schema.Schemas.schema;
import static io.taskexec.schema.Schemas.validate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        assertThat(validate(schema("{'$schema': '" + draft + "', 'type': 'object'}"), json("1")))
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

        assertThat(validate(schema, json("{'a': 1}"))).hasSize(1);
        assertThat(validate(schema, json("{'c': 1}"))).isEmpty();
    }

    @Test
    void aKeywordOfDraftSevenMeansNothingInDraftFour() {
        var schema = schema("{'$schema': 'http://json-schema.org/draft-04/schema#',"
                + " 'if': {'required': ['a']}, 'then': {'required': ['b']}}");

        assertThat(validate(schema, json("{'a': 1}"))).isEmpty();
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

        assertThat(validate(schema, json("{'a': 'x'}"))).hasSize(1);
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
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'minLength': -1}                           | /minLength            | -1 is not greater or equal to 0
            {'maxItems': 1.5}                           | /maxItems             | expected type: integer, found: number
            {'minProperties': '1'}                      | /minProperties        | expected type: integer, found: string
            {'multipleOf': 0}                           | /multipleOf           | 0 is not greater than 0
            {'type': 'strin'}                           | /type                 | strin is not a valid enum value
            {'type': ['string', 'strin']}               | /type/1               | strin is not a valid enum value
            {'type': []} | /type | expected minimum item count: 1, found: 0
            {'required': 'a'}                           | /required             | expected type: array, found: string
            {'required': true}                          | /required             | expected type: array, found: boolean
            {'required': ['a', 1]}                      | /required/1           | expected type: string, found: integer
            {'required': ['a', 'a']}                    | /required             | array items are not unique
            {'type': ['string', 'string']}              | /type                 | array items are not unique
            {'enum': {}}                                | /enum                 | expected type: array, found: object
            {'properties': {'a/b': {'minLength': -1}}}  | /properties/a~1b/minLength | -1 is not greater or equal to 0
            {'properties': {'a': []}}                   | /properties/a         | expected type: object, found: array
            {'items': {'pattern': 1}}                   | /items/pattern        | expected type: string, found: integer
            {'items': [{}, {'format': 1}]}              | /items/1/format       | expected type: string, found: integer
            {'anyOf': []} | /anyOf | expected minimum item count: 1, found: 0
            {'not': {'if': {'uniqueItems': 1}}}         | /not/if/uniqueItems   | expected type: boolean, found: integer
            {'dependencies': {'a': [1]}}                | /dependencies/a/0     | expected type: string, found: integer
            {'dependencies': {'a': {'maxLength': -1}}}  | /dependencies/a/maxLength | -1 is not greater or equal to 0
            {'definitions': {'unused': {'type': 'int'}}} | /definitions/unused/type | int is not a valid enum value
            {'exclusiveMinimum': true}                  | /exclusiveMinimum     | expected type: number, found: boolean
            {'$schema': 'http://json-schema.org/draft-06/schema#', 'enum': []} \
                | /enum | expected minimum item count: 1, found: 0
            {'$schema': 'http://json-schema.org/draft-06/schema#', 'contains': 1} \
                | /contains | expected type: object, found: integer
            {'$schema': 'http://json-schema.org/draft-04/schema#', 'minimum': 0, 'exclusiveMinimum': 1} \
                | /exclusiveMinimum | expected type: boolean, found: integer
            {'$schema': 'http://json-schema.org/draft-04/schema#', 'required': []} \
                | /required | expected minimum item count: 1, found: 0
            {'$schema': 'http://json-schema.org/draft-04/schema#', 'items': true} \
                | /items | expected type: object, found: boolean
            """)
    void whatBreaksTheMetaSchemaIsRefusedWithItsPlace(String schema, String pointer, String reason) {
        var refused = catchThrowableOfType(InvalidSchemaException.class, () -> schema(schema));

        assertThat(refused).isNotNull();
        assertThat(refused.violation()).isEqualTo(new Violation(pointer, reason));
        assertThat(refused)
                .hasMessageStartingWith("'" + pointer + "' is not as draft ")
                .hasMessageEndingWith(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'const': {'minLength': -1, 'type': 'strin'}, 'default': {'required': 'a'}, 'examples': [{'enum':"
                        + " {}}]}",
                "{'enum': [{'type': 1}, {'type': 1}, null], 'x-type': {'type': 1}}",
                "{'properties': {'minLength': {'type': 'integer'}, 'required': true, 'enum': false, '$ref': {}}}",
                "{'items': true, 'additionalProperties': false, 'not': {}, 'required': []}",
                "{'type': ['string', 'null'], 'dependencies': {'a': ['b'], 'c': {}}, 'items': [{}, true], 'enum': []}",
                "{'$schema': 'http://json-schema.org/draft-04/schema#', 'minimum': 1, 'exclusiveMinimum': true,"
                        + " 'additionalItems': false, 'id': 'x', 'const': 1, 'if': 1, 'examples': 2}"
            })
    void whatTheMetaSchemaAllowsIsAccepted(String schema) {
        assertThat(schema(schema)).isNotNull();
    }

    @Test
    void aStoredSchemaThatBreaksItsMetaSchemaGoesOnToWork() {
        assertThat(validate(InputSchema.compile(json("{'minLength': -1}"), Schemas.budget()), json("'a'")))
                .isEmpty();
    }

    @Test
    void aLargeSchemaIsHeldAgainstItsMetaSchemaInLittleTime() {
        assertThat(schema("{'allOf': [" + "{},".repeat(20_000) + "{}]}")).isNotNull();
        var names = IntStream.range(0, 7_000).mapToObj(i -> "'" + i + "'").collect(Collectors.joining(","));
        assertThat(schema("{'required': [" + names + "]}")).isNotNull();
        assertThat(schema("{'enum': [" + names + "]}")).isNotNull();
        for (var broken : new String[] {
            "{'allOf': [" + "1,".repeat(30_000) + "1]}",
            "{'type': [" + names + "]}",
            "{'items':".repeat(60) + "{'items':[" + "1,".repeat(30_000) + "1]}" + "}".repeat(60)
        }) {
            var refused = catchThrowableOfType(InvalidSchemaException.class, () -> schema(broken));
            assertThat(refused.violation()).isNotNull();
        }
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

    @Test
    void theRegularExpressionsOfASchemaAreBoundedTogether() {
        var pattern = "{'pattern': '(a{99}){99}'}";

        assertThat(schema("{'allOf': [" + (pattern + ",").repeat(8) + pattern + "]}"))
                .isNotNull();
        assertThatThrownBy(() -> schema("{'allOf': [" + (pattern + ",").repeat(200) + pattern + "]}"))
                .isInstanceOf(InvalidSchemaException.class)
                .hasMessage("the regular expressions of the schema are too large together");
    }

    @Test
    void compilingEndsWhenItsBudgetIsSpent() {
        var schema = json("{'allOf': [" + "{'pattern': '(a{9}){9}'},".repeat(1_000) + "{}]}");

        assertThatThrownBy(() -> InputSchema.compileNew(schema, CheckBudget.of(1_000, Duration.ofSeconds(20))))
                .isInstanceOf(BudgetExceededException.class);
    }
}
