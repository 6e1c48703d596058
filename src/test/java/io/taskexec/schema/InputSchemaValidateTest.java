package io.taskexec.schema;

import static io.taskexec.schema.Schemas.json;
import static io.taskexec.schema.Schemas.schema;
import static io.taskexec.schema.Schemas.validate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.time.Duration;
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
        assertThat(validate(schema(USER), json("{'user_id': 'abc', 'age': 7, 'address': {'city': 'X'}}")))
                .isEmpty();
    }

    @Test
    void anAbsentInputCountsAsAnEmptyObject() {
        var missing = new Violation("", "required key [user_id] not found");

        assertThat(validate(schema(USER), null)).containsExactly(missing);
        assertThat(validate(schema(USER), NullNode.instance)).containsExactly(missing);
        assertThat(validate(schema(USER), MissingNode.getInstance())).containsExactly(missing);
        assertThat(validate(schema(USER), json("{}"))).containsExactly(missing);
        assertThat(validate(schema("{'type': 'object'}"), null)).isEmpty();
    }

    @Test
    void allViolationsAreListed() {
        assertThat(validate(schema(USER), json("{'user_id': 'a', 'age': -1, 'address': {}, 'x': 1, 'tags': ['a', 2]}")))
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
        assertThat(validate(schema("{'items': {'type': '" + expected + "'}}"), json("[" + input + "]")))
                .containsExactly(new Violation("/0", "expected type: " + expected + ", found: " + found));
    }

    @Test
    void anExplicitNullWithinAnInputIsANull() {
        assertThat(validate(schema("{'properties': {'a': {'type': 'string'}}}"), json("{'a': null}")))
                .containsExactly(new Violation("/a", "expected type: string, found: null"));
        assertThat(validate(schema("{'properties': {'a': {'type': ['string', 'null']}}}"), json("{'a': null}")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1.0", "1e2", "100000000000000000000000000", "-0.0"})
    void aNumberWithoutAFractionIsAnInteger(String number) {
        assertThat(validate(schema("{'items': {'type': 'integer'}}"), json("[" + number + "]")))
                .isEmpty();
    }

    @Test
    void decimalsAreExact() {
        assertThat(validate(schema("{'items': {'multipleOf': 0.01}}"), json("[12.50, 0.07, 1e2]")))
                .isEmpty();
        assertThat(validate(schema("{'items': {'multipleOf': 0.01}}"), json("[0.001]")))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e999999999", "1e-999999999", "-1.5e2147483000"})
    void aNumberOfAbsurdSizeIsAViolation(String number) {
        assertThat(validate(schema("{'items': {'multipleOf': 3}}"), json("[" + number + "]")))
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

        assertThat(validate(schema, input))
                .extracting(Violation::pointer)
                .containsExactlyInAnyOrder(pointer + pointer + "/x", pointer + pointer + "/y");
        assertThat(input.at(pointer + pointer)).isEqualTo(bad);
    }

    @Test
    void atMostFiftyViolationsAreListed() {
        var input = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, 10_000).forEach(input::add);

        assertThat(validate(schema("{'items': {'type': 'string'}}"), input)).hasSize(50);
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

        assertThat(validate(schema("{'items': " + schema + "}"), input))
                .singleElement()
                .satisfies(violation -> {
                    assertThat(violation.pointer()).isEqualTo("/0");
                    assertThat(violation.message()).isNotBlank().hasSizeLessThan(210);
                    assertThat(violation.message()).doesNotContain("\ud83c...");
                });
    }

    @Test
    void anObjectOutsideAnEnumerationIsNotRepeated() {
        assertThat(validate(schema("{'items': {'enum': [1]}}"), json("[{'password': 'hunter2'}, ['hunter2']]")))
                .extracting(Violation::message)
                .containsExactly("the object is not a valid enum value", "the array is not a valid enum value");
    }

    @Test
    void enumerationsCompareWholeTrees() {
        var schema = schema("{'items': {'enum': [{'a': [1, {'b': null}]}, 1.0, 'x']}}");

        assertThat(validate(schema, json("[{'a': [1, {'b': null}]}, 1, 'x']"))).isEmpty();
        assertThat(validate(schema, json("[{'a': [1, {'b': 0}]}]"))).hasSize(1);
    }

    @Test
    void numbersAreComparedByTheirValuesHoweverTheyAreWritten() {
        assertThat(validate(schema("{'enum': [12.5, [1], 100]}"), json("12.50")))
                .isEmpty();
        assertThat(validate(schema("{'enum': [12.5, [1], 100]}"), json("[1.0]")))
                .isEmpty();
        assertThat(validate(schema("{'enum': [12.5, [1], 100]}"), json("1e2"))).isEmpty();
        assertThat(validate(schema("{'const': 0.1}"), json("0.10"))).isEmpty();
        assertThat(validate(schema("{'const': 0.1}"), json("0.11"))).hasSize(1);
        assertThat(validate(schema("{'uniqueItems': true}"), json("[1.5, 1.50]")))
                .hasSize(1);
    }

    @Test
    void referencesWithinTheSchemaAreFollowed() {
        var tree = schema("{'properties': {'left': {'$ref': '#'}, 'v': {'$ref': '#/$defs/n'}, 'w': {'$ref': '#n'}},"
                + " '$defs': {'n': {'$id': '#n', 'type': 'number'}}}");

        assertThat(validate(tree, json("{'left': {'left': {'v': 'x', 'w': 'y'}}}")))
                .extracting(Violation::pointer)
                .containsExactlyInAnyOrder("/left/left/v", "/left/left/w");
    }

    @Test
    void anInputTooDeepIsAViolation() {
        var schema = schema("{'items': {'$ref': '#'}}");

        assertThat(validate(schema, json("[".repeat(128) + "]".repeat(128)))).isEmpty();
        assertThat(validate(schema, json("[".repeat(129) + "]".repeat(129))))
                .containsExactly(new Violation("", "the input has more than 128 levels"));
    }

    @Test
    void aSchemaThatDoublesWithTheDepthOfTheInputIsCutShort() {
        var schema = schema("{'allOf': [{'items': {'$ref': '#'}}, {'items': {'$ref': '#'}}]}");

        assertThat(validate(schema, json("[".repeat(100) + "]".repeat(100))))
                .singleElement()
                .extracting(Violation::message)
                .asString()
                .contains("references");
    }

    @Test
    void aCycleThatOnlySomeInputsReachIsCutShort() {
        var schema = schema("{'properties': {'a': {'$ref': '#/definitions/x'}},"
                + " 'definitions': {'x': {'allOf': [{'$ref': '#/definitions/x'}]}}}");

        assertThat(validate(schema, json("{'b': 1}"))).isEmpty();
        assertThat(validate(schema, json("{'a': 1}")))
                .containsExactly(new Violation("", "the schema's references do not end for this input"));
    }

    @Test
    void uniqueItemsAreComparedUpToALimit() {
        var schema = schema("{'uniqueItems': true}");
        var input = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, 5_000).forEach(input::add);

        assertThat(validate(schema, input)).isEmpty();
        assertThat(validate(schema, input.add(-1)))
                .singleElement()
                .satisfies(violation -> assertThat(violation.message()).contains("5000"));
        assertThat(validate(schema, json("[1, 1]"))).containsExactly(new Violation("", "array items are not unique"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"email", "hostname", "uri", "date-time", "ipv4", "ipv6", "json-pointer", "uri-template", "regex"
            })
    void hostileTextsAreCheckedInLittleTime(String format) {
        var schema = schema("{'items': {'format': '" + format + "'}}");

        for (var text : new String[] {"@", "a.", "(", "/", ":", "{", "-", "9", "\\", "%"}) {
            var input = JsonNodeFactory.instance.arrayNode().add(text.repeat(200_000) + " ");
            assertThat(validate(schema, input)).hasSizeLessThan(2);
        }
    }

    @Test
    void aRegularExpressionMatchesInLinearTime() {
        assertThat(validate(schema("{'items': {'pattern': '^(.*a){12}$'}}"), json("['" + "a".repeat(100_000) + "b']")))
                .hasSize(1);
    }

    @Test
    void aTextTooLongForItsRegularExpressionIsAViolation() {
        assertThat(validate(schema("{'items': {'pattern': '^(x?){1000}$'}}"), json("['" + "x".repeat(300_000) + "']")))
                .extracting(Violation::message)
                .containsExactly(
                        "a text of 300000 characters is too long for the regular expression that the schema has"
                                + " for it");
    }

    @Test
    void anEmailAddressIsRecognised() {
        var schema = schema("{'items': {'format': 'email'}}");

        assertThat(validate(schema, json("['ann@mail.example.com', 'a.b+c@example.org']")))
                .isEmpty();
        assertThat(validate(schema, json("['ann', '@', 'a@b@c']"))).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "date-time, 2026-02-28T23:59:59Z",
        "date-time, 2024-02-29t00:00:00.123456789012z",
        "date-time, 0000-01-01T00:00:00-23:59",
        "date-time, 1998-12-31T23:59:60Z",
        "date-time, 1998-12-31T15:59:60.123-08:00",
        "date, 2024-02-29",
        "time, 08:30:06+05:30",
        "time, 01:29:60+01:30",
    })
    void whatRfc3339AllowsHasItsFormat(String format, String text) {
        assertThat(validate(schema("{'items': {'format': '" + format + "'}}"), json("['" + text + "']")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "date-time, 2026-02-30T00:00:00Z",
        "date-time, 2025-02-29T00:00:00Z",
        "date-time, 2026-13-01T00:00:00Z",
        "date-time, 2026-00-01T00:00:00Z",
        "date-time, 2026-01-00T00:00:00Z",
        "date-time, 2026-01-01T24:00:00Z",
        "date-time, 2026-01-01T00:60:00Z",
        "date-time, 1998-12-31T23:58:60Z",
        "date-time, 1998-12-31T23:59:61Z",
        "date-time, 1998-12-31T23:59:60+01:00",
        "date-time, 2026-01-01T00:00:00",
        "date-time, 2026-01-01T00:00:00.Z",
        "date-time, 2026-01-01T00:00:00+24:00",
        "date-time, 2026-01-01T00:00:00+00:60",
        "date-time, 2026-01-01 00:00:00Z",
        "date-time, +12026-01-01T00:00:00Z",
        "date, 2026-02-30",
        "date, +12026-01-01",
        "date, -0001-01-01",
        "date, ２026-01-01",
        "time, 24:00:00Z",
        "time, 22:59:60Z",
    })
    void whatRfc3339ForbidsHasNot(String format, String text) {
        assertThat(validate(schema("{'items': {'format': '" + format + "'}}"), json("['" + text + "']")))
                .extracting(Violation::message)
                .containsExactly("[" + text + "] is not a valid " + format + " of RFC 3339");
    }

    @Test
    void olderDraftsHaveNoFormatOfDates() {
        assertThat(validate(
                        schema("{'$schema': 'http://json-schema.org/draft-06/schema#', 'items': {'format': 'date'}}"),
                        json("['tomorrow']")))
                .isEmpty();
    }

    @Test
    void whetherACheckLackedTimeOrStepsIsKnown() {
        var schema = schema("{'items': {'type': 'integer'}}");
        var input = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, 100).forEach(input::add);

        assertThatThrownBy(() -> schema.validate(input, CheckBudget.of(CheckBudget.MOST_STEPS, Duration.ZERO)))
                .isInstanceOfSatisfying(
                        BudgetExceededException.class,
                        failure -> assertThat(failure.isOfTime()).isTrue());
        assertThatThrownBy(() -> schema.validate(input, CheckBudget.of(50, Duration.ofSeconds(20))))
                .isInstanceOfSatisfying(
                        BudgetExceededException.class,
                        failure -> assertThat(failure.isOfTime()).isFalse());
    }

    @ParameterizedTest
    @ValueSource(strings = {"^(([a-z])+.)+$", "(a|a)*b", "^(a+)+$"})
    void allMatchesOfOneInputShareOneBudget(String expression) {
        var pattern = "{'pattern': '" + expression + "'}";
        var schema = schema("{'items': {'allOf': [" + (pattern + ",").repeat(200) + pattern + "]}}");
        var input = JsonNodeFactory.instance.arrayNode().add("a".repeat(966_999) + "b");

        assertThat(validate(schema("{'items': " + pattern + "}"), input)).hasSizeLessThan(2);
        assertThatThrownBy(() -> validate(schema, input)).isInstanceOf(BudgetExceededException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'items': {'uniqueItems': true}}",
                "{'items': {'allOf': [{'uniqueItems': true}, {'items': {'enum': [-1]}}]}}",
                "{'items': {'items': {'multipleOf': 0.001}}, 'allOf': [{'items': {'items': {'multipleOf': 0.01}}}]}",
                "{'items': {'items': {'anyOf': [{'const': -1}, {'$ref': '#/definitions/a'}]}}, 'definitions':"
                        + " {'a': {'not': {'pattern': 'b'}}}}"
            })
    void everyCheckEndsWhenItsTimeIsOver(String schema) {
        var input = JsonNodeFactory.instance.arrayNode();
        var numbers = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, 5_000).forEach(numbers::add);
        IntStream.range(0, 90).forEach(_ -> input.add(numbers));

        assertThatThrownBy(() ->
                        schema(schema).validate(input, CheckBudget.of(CheckBudget.MOST_STEPS, Duration.ofMillis(10))))
                .isInstanceOf(BudgetExceededException.class);
    }

    @Test
    void aMatchEndsWhenTheTimeIsOver() {
        var input = JsonNodeFactory.instance.arrayNode().add("a".repeat(967_000));

        assertThatThrownBy(() -> schema("{'items': {'pattern': '^(.*a){12}$'}}")
                        .validate(input, CheckBudget.of(CheckBudget.MOST_STEPS, Duration.ofMillis(20))))
                .isInstanceOf(BudgetExceededException.class);
    }

    @Test
    void ofVeryManyViolationsTheFirstIsFoundInLittleMemory() {
        var input = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, 480_000).forEach(input::add);

        assertThat(validate(schema("{'items': {'type': 'string'}}"), input))
                .containsExactly(new Violation("/0", "expected type: string, found: integer"));
    }

    @Test
    void aMessageIsNotKeptForEachPartOfASchema() {
        var input = JsonNodeFactory.instance.arrayNode().add("a".repeat(967_000));
        var one = "{'enum': ['x']}";

        assertThatThrownBy(() ->
                        validate(schema("{'items': {'anyOf': [" + (one + ",").repeat(3_000) + one + "]}}"), input))
                .isInstanceOf(BudgetExceededException.class);
    }
}
