package io.taskexec.schema;

import static io.taskexec.schema.Schemas.json;
import static io.taskexec.schema.Schemas.schema;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class InputSchemaValidateTest {
    private static final String USER = """
            {'type': 'object', 'required': ['user_id'], 'additionalProperties': false, 'properties': {
             'user_id': {'type': 'string', 'minLength': 3}, 'age': {'type': 'integer', 'minimum': 0},
             'address': {'type': 'object', 'required': ['city']}, 'tags': {'items': {'type': 'string'}}}}""";

    @Test
    void anInputThatFitsHasNoViolations() {
        assertThat(schema(USER).validate(json("{'user_id': 'abc', 'age': 7, 'address': {'city': 'X'}}")))
                .isEmpty();
    }

    @Test
    void anAbsentInputCountsAsAnEmptyObject() {
        var missing = new Violation("", "required key [user_id] not found");

        assertThat(schema(USER).validate(null)).containsExactly(missing);
        assertThat(schema(USER).validate(NullNode.instance)).containsExactly(missing);
        assertThat(schema(USER).validate(MissingNode.getInstance())).containsExactly(missing);
        assertThat(schema(USER).validate(json("{}"))).containsExactly(missing);
        assertThat(schema("{'type': 'object'}").validate(null)).isEmpty();
    }

    @Test
    void allViolationsAreListed() {
        assertThat(schema(USER).validate(json("{'user_id': 'a', 'age': -1, 'address': {}, 'x': 1, 'tags': ['a', 2]}")))
                .containsExactlyInAnyOrder(
                        new Violation("/user_id", "expected minLength: 3, actual: 1"),
                        new Violation("/age", "-1 is not greater or equal to 0"),
                        new Violation("/address", "required key [city] not found"),
                        new Violation("", "extraneous key [x] is not permitted"),
                        new Violation("/tags/1", "expected type: string, found: integer"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "object | 'x' | string",
                "object | [] | array",
                "array | {} | object",
                "integer | 1.5 | number",
                "integer | true | boolean",
                "string | 7 | integer",
                "string | 7000000000 | integer",
                "number | {} | object"
            })
    void typesAreNamedAsInJson(String expected, String input, String found) {
        assertThat(schema("{'items': {'type': '" + expected + "'}}").validate(json("[" + input + "]")))
                .containsExactly(new Violation("/0", "expected type: " + expected + ", found: " + found));
    }

    @Test
    void anExplicitNullWithinAnInputIsANull() {
        assertThat(schema("{'properties': {'a': {'type': 'string'}}}").validate(json("{'a': null}")))
                .containsExactly(new Violation("/a", "expected type: string, found: null"));
        assertThat(schema("{'properties': {'a': {'type': ['string', 'null']}}}").validate(json("{'a': null}")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1.0", "1e2", "100000000000000000000000000", "-0.0"})
    void aNumberWithoutAFractionIsAnInteger(String number) {
        assertThat(schema("{'items': {'type': 'integer'}}").validate(json("[" + number + "]")))
                .isEmpty();
    }

    @Test
    void decimalsAreExact() {
        assertThat(schema("{'items': {'multipleOf': 0.01}}").validate(json("[12.50, 0.07, 1e2]")))
                .isEmpty();
        assertThat(schema("{'items': {'multipleOf': 0.01}}").validate(json("[0.001]")))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e999999999", "1e-999999999", "-1.5e2147483000"})
    void aNumberOfAbsurdSizeIsAViolation(String number) {
        assertThat(schema("{'items': {'multipleOf': 3}}").validate(json("[" + number + "]")))
                .containsExactly(
                        new Violation("", "a number has more than 1000 digits before or after its decimal point"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a/b | /a~1b",
                "a~b | /a~0b",
                "~1 | /~01",
                "`` | /",
                "a b%#? | /a b%#?",
                "naïve🎉 | /naïve🎉",
                "0 | /0"
            })
    void pointersAreEscapedAsInTheStandard(String name, String pointer) {
        assertPointer(name, pointer);
    }

    @Test
    void quotesAndBackslashesInPointersAreAsTheyAre() {
        assertPointer("a\"b\\c", "/a\"b\\c");
        assertPointer("\\\\", "/\\\\");
    }

    private static void assertPointer(String name, String pointer) {
        var factory = JsonNodeFactory.instance;
        // Two failures at each of two levels, since the library escapes nested ones repeatedly.
        var bad = factory.objectNode().put("x", 1).put("y", 2);
        var input = factory.objectNode();
        input.set(name, factory.objectNode().set(name, bad));
        var schema = schema("{'additionalProperties': {'additionalProperties': {'additionalProperties':"
                + " {'type': 'string'}}}}");

        assertThat(schema.validate(input))
                .extracting(Violation::pointer)
                .containsExactlyInAnyOrder(pointer + pointer + "/x", pointer + pointer + "/y");
        assertThat(input.at(pointer + pointer)).isEqualTo(bad);
    }

    @Test
    void atMostFiftyViolationsAreListed() {
        var input = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, 10_000).forEach(input::add);

        assertThat(schema("{'items': {'type': 'string'}}").validate(input)).hasSize(50);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'enum': ['a']}",
                "{'pattern': '^a$'}",
                "{'format': 'email'}",
                "{'format': 'date-time'}",
                "{'const': 1}",
                "{'not': {}}",
                "{'maxLength': 1}"
            })
    void aLongValueIsNotRepeated(String schema) {
        var input = JsonNodeFactory.instance.arrayNode().add("🎉".repeat(10_000));

        assertThat(schema("{'items': " + schema + "}").validate(input))
                .singleElement()
                .satisfies(violation -> {
                    assertThat(violation.pointer()).isEqualTo("/0");
                    assertThat(violation.message()).isNotBlank().hasSizeLessThan(210);
                    assertThat(violation.message()).doesNotContain("\ud83c...");
                });
    }

    @Test
    void anObjectOutsideAnEnumerationIsNotRepeated() {
        assertThat(schema("{'items': {'enum': [1]}}").validate(json("[{'password': 'hunter2'}, ['hunter2']]")))
                .extracting(Violation::message)
                .containsExactly("the object is not a valid enum value", "the array is not a valid enum value");
    }

    @Test
    void enumerationsCompareWholeTrees() {
        var schema = schema("{'items': {'enum': [{'a': [1, {'b': null}]}, 1.0, 'x']}}");

        assertThat(schema.validate(json("[{'a': [1, {'b': null}]}, 1, 'x']"))).isEmpty();
        assertThat(schema.validate(json("[{'a': [1, {'b': 0}]}]"))).hasSize(1);
    }

    @Test
    void referencesWithinTheSchemaAreFollowed() {
        var tree = schema("{'properties': {'left': {'$ref': '#'}, 'v': {'$ref': '#/$defs/n'}, 'w': {'$ref': '#n'}},"
                + " '$defs': {'n': {'$id': '#n', 'type': 'number'}}}");

        assertThat(tree.validate(json("{'left': {'left': {'v': 'x', 'w': 'y'}}}")))
                .extracting(Violation::pointer)
                .containsExactlyInAnyOrder("/left/left/v", "/left/left/w");
    }

    @Test
    void anInputTooDeepIsAViolation() {
        var schema = schema("{'items': {'$ref': '#'}}");

        assertThat(schema.validate(json("[".repeat(128) + "]".repeat(128)))).isEmpty();
        assertThat(schema.validate(json("[".repeat(129) + "]".repeat(129))))
                .containsExactly(new Violation("", "the input has more than 128 levels"));
    }

    @Test
    void aSchemaThatDoublesWithTheDepthOfTheInputIsCutShort() {
        var schema = schema("{'allOf': [{'items': {'$ref': '#'}}, {'items': {'$ref': '#'}}]}");

        assertThat(schema.validate(json("[".repeat(100) + "]".repeat(100))))
                .singleElement()
                .extracting(Violation::message)
                .asString()
                .contains("references");
    }

    @Test
    void aCycleThatOnlySomeInputsReachIsCutShort() {
        var schema = schema("{'properties': {'a': {'$ref': '#/definitions/x'}},"
                + " 'definitions': {'x': {'allOf': [{'$ref': '#/definitions/x'}]}}}");

        assertThat(schema.validate(json("{'b': 1}"))).isEmpty();
        assertThat(schema.validate(json("{'a': 1}")))
                .containsExactly(new Violation("", "the schema's references do not end for this input"));
    }

    @Test
    void uniqueItemsAreComparedUpToALimit() {
        var schema = schema("{'uniqueItems': true}");
        var input = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, 5_000).forEach(input::add);

        assertThat(schema.validate(input)).isEmpty();
        assertThat(schema.validate(input.add(-1)))
                .singleElement()
                .satisfies(violation -> assertThat(violation.message()).contains("5000"));
        assertThat(schema.validate(json("[1, 1]"))).containsExactly(new Violation("", "array items are not unique"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"email", "hostname", "uri", "date-time", "ipv4", "ipv6", "json-pointer", "uri-template", "regex"
            })
    void hostileTextsAreCheckedInLittleTime(String format) {
        var schema = schema("{'items': {'format': '" + format + "'}}");

        for (var text : new String[] {"@", "a.", "(", "/", ":", "{", "-", "9", "\\", "%"}) {
            var input = JsonNodeFactory.instance.arrayNode().add(text.repeat(200_000) + " ");
            assertThat(schema.validate(input)).hasSizeLessThan(2);
        }
    }

    @Test
    void aRegularExpressionMatchesInLinearTime() {
        assertThat(schema("{'items': {'pattern': '^(.*a){12}$'}}").validate(json("['" + "a".repeat(100_000) + "b']")))
                .hasSize(1);
    }

    @Test
    void aTextTooLongForItsRegularExpressionIsAViolation() {
        assertThat(schema("{'items': {'pattern': '^(x?){1000}$'}}").validate(json("['" + "x".repeat(300_000) + "']")))
                .extracting(Violation::message)
                .containsExactly(
                        "a text of 300000 characters is too long for the regular expression that the schema has"
                                + " for it");
    }

    @Test
    void anEmailAddressIsRecognised() {
        var schema = schema("{'items': {'format': 'email'}}");

        assertThat(schema.validate(json("['ann@mail.example.com', 'a.b+c@example.org']")))
                .isEmpty();
        assertThat(schema.validate(json("['ann', '@', 'a@b@c']"))).hasSize(3);
    }
}
