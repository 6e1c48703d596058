package io.taskexec.template;

import static io.taskexec.template.Trees.config;
import static io.taskexec.template.Trees.input;
import static io.taskexec.template.Trees.json;
import static io.taskexec.template.Trees.secrets;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {
    @ParameterizedTest
    @ValueSource(strings = {"42", "12.50", "1E+3", "true", "null", "'text'", "{'a':[1,null]}", "[]", "''"})
    void aPlaceholderThatIsTheWholeValueKeepsItsJsonType(String value) {
        var scope = input("{'x': " + value + "}");

        assertThat(Template.parse("{{input.x}}").value(scope)).isEqualTo(json(value));
        assertThat(Template.parse(" \n{{ input.x }}\t").value(scope)).isEqualTo(json(value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-{{input.x}}", "{{input.x}}.", "{{input.x}} {{input.empty}}", "\\{{{{input.x}}"})
    void aPlaceholderAmongOtherThingsMakesAText(String template) {
        var value = Template.parse(template).value(input("{'x': 1, 'empty': ''}"));

        assertThat(value.isTextual()).isTrue();
        assertThat(value.textValue()).contains("1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'text' | <text>",
                "'' | <>",
                "12.50 | <12.50>",
                "-0 | <0>",
                "123456789012345678901234567890 | <123456789012345678901234567890>",
                "true | <true>",
                "[1, 'a', null] | <[1,\"a\",null]>",
                "{'a' : {'b': 12.50}} | <{\"a\":{\"b\":12.50}}>",
                "'a\\tb' | <a\tb>"
            })
    void anEmbeddedValueIsWrittenAsItsText(String value, String text) {
        var scope = input("{'x': " + value + "}");

        assertThat(Template.parse("<{{input.x}}>").text(scope)).isEqualTo(text);
        assertThat(Template.parse("<{{input.x}}>").value(scope)).isEqualTo(TextNode.valueOf(text));
    }

    @Test
    void pathsLeadThroughObjectsAndArrays() {
        var scope = input("{'users': [{'name': 'Ann'}, {'name': 'Bob', '0': 'zero'}]}");

        assertThat(Template.parse("{{input.users[1].name}}{{input.users[1].0}}").text(scope))
                .isEqualTo("Bobzero");
    }

    @Test
    void anInputThatIsAnArrayIsReachedByIndex() {
        assertThat(Template.parse("{{input[1]}}").text(input("[1, 2]"))).isEqualTo("2");
    }

    @Test
    void resolvedValuesAreNeverScannedAgain() {
        var scope = new Scope(json("{'x': '{{secret.key}}'}"), json("{'y': '{{input.x}}'}"), name -> "{{config.y}}");

        assertThat(Template.parse("{{input.x}} {{config.y}} {{secret.key}}").text(scope))
                .isEqualTo("{{secret.key}} {{input.x}} {{config.y}}");
        assertThat(Template.parse("{{config.y}}").value(scope)).isEqualTo(TextNode.valueOf("{{input.x}}"));
    }

    @Test
    void bracesThatMeetAfterResolutionAreNotAPlaceholder() {
        var scope = new Scope(json("{'open': '{', 'rest': 'secret.key}}'}"), null, name -> "leaked");

        assertThat(Template.parse("{{input.open}}{{input.open}}{{input.rest}}").text(scope))
                .isEqualTo("{{secret.key}}");
    }

    @Test
    void quotesInValuesCannotBreakOutOfAText() {
        assertThat(Template.parse("say {{input.x}}").value(input("{'x': '\\u0022, \\u0022a\\u0022: 1'}")))
                .isEqualTo(TextNode.valueOf("say \", \"a\": 1"));
    }

    @Test
    void aSecretIsAlwaysAText() {
        assertThat(Template.parse("{{secret.pin}}").value(secrets(Map.of("pin", "0042"))))
                .isEqualTo(TextNode.valueOf("0042"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{{input.nobody.name}} | input has no 'nobody'",
                "{{input.user.age}} | input.user has no 'age'",
                "{{input.user.name.first}} | input.user.name is not an object",
                "{{input.tags.length}} | input.tags is not an object",
                "{{input.tags[2]}} | input.tags has no element 2",
                "{{input.user[0]}} | input.user is not an array",
                "{{input.none.x}} | input.none is not an object",
                "{{config.x}} | the endpoint has no config",
                "{{secret.key}} | there is no secret 'key'"
            })
    void aMissingValueIsUnresolvableAndSaysWhere(String placeholder, String reason) {
        var scope = input("{'user': {'name': 'Ann'}, 'tags': [1, 2], 'none': null}");

        assertThatThrownBy(() -> Template.parse(placeholder).value(scope))
                .isInstanceOf(UnresolvableException.class)
                .hasMessage(placeholder + " cannot be resolved: " + reason);
        assertThat(Template.parse(placeholder).references())
                .map(reference -> reference.problem(scope))
                .containsExactly(placeholder + " cannot be resolved: " + reason);
    }

    @Test
    void withoutInputOrConfigNothingOfThemResolves() {
        var none = new Scope(null, NullNode.instance, SecretSource.NONE);

        assertThatThrownBy(() -> Template.parse("{{input.x}}").value(none))
                .hasMessage("{{input.x}} cannot be resolved: there is no input");
        assertThatThrownBy(() -> Template.parse("{{config.x}}").value(none))
                .hasMessage("{{config.x}} cannot be resolved: the endpoint has no config");
    }

    @Test
    void aNullThatIsPresentIsAValueButHasNoText() {
        var scope = input("{'x': null}");

        assertThat(Template.parse("{{input.x}}").value(scope)).isEqualTo(NullNode.instance);
        assertThatThrownBy(() -> Template.parse("{{input.x}}").text(scope)).hasMessageContaining("input.x is null");
        assertThatThrownBy(() -> Template.parse("a{{input.x}}").value(scope)).hasMessageContaining("input.x is null");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a/b?c=d&e#f | a%2Fb%3Fc%3Dd%26e%23f",
                "../../admin | ..%2F..%2Fadmin",
                "%2e%2e | %252e%252e",
                "a b+c*d~e-f_g.h | a%20b%2Bc%2Ad~e-f_g.h",
                "naïve🎉 | na%C3%AFve%F0%9F%8E%89",
                "x@evil.example:80\\ | x%40evil.example%3A80%5C",
                "... | ..."
            })
    void inputInAUrlIsPercentEncoded(String value, String encoded) {
        var input = JsonNodeFactory.instance.objectNode().put("x", value);
        var scope = new Scope(input, null, SecretSource.NONE);

        assertThat(Template.parse("/p/{{input.x}}").urlText(scope)).isEqualTo("/p/" + encoded);
    }

    @Test
    void lineBreaksOfInputCannotGetIntoAUrl() {
        assertThat(Template.parse("/{{input.x}}").urlText(input("{'x': 'a\\r\\n\\u0000b'}")))
                .isEqualTo("/a%0D%0A%00b");
    }

    @Test
    void structuredInputInAUrlIsEncodedJson() {
        assertThat(Template.parse("/{{input.x}}").urlText(input("{'x': [1]}"))).isEqualTo("/%5B1%5D");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", ".."})
    void aDotSegmentFromInputIsUnresolvableInAUrl(String dots) {
        assertThatThrownBy(() -> Template.parse("/files/{{input.x}}").urlText(input("{'x': '" + dots + "'}")))
                .isInstanceOf(UnresolvableException.class)
                .hasMessageStartingWith("{{input.x}} cannot be resolved: ");
    }

    @Test
    void configAndSecretsGoIntoAUrlAsTheyAre() {
        var scope = new Scope(null, json("{'base': 'https://a.example/v1?x=/..'}"), name -> "k/e y");

        assertThat(Template.parse("{{config.base}}/{{secret.key}}").urlText(scope))
                .isEqualTo("https://a.example/v1?x=/../k/e y");
    }

    @Test
    void withinOnePartOfAUrlEveryValueIsEncoded() {
        var scope = new Scope(null, json("{'user': 'a:b'}"), name -> "k/e y@%~");

        assertThat(Template.parse("://{{config.user}}:{{secret.key}}%20@").encodedText(scope))
                .isEqualTo("://a%3Ab:k%2Fe%20y%40%25~%20@");
    }

    @Test
    void aNullHasNoPlaceInAUrl() {
        assertThatThrownBy(() -> Template.parse("/{{input.x}}").urlText(input("{'x': null}")))
                .isInstanceOf(UnresolvableException.class);
    }

    @Test
    void aTextThatGrowsPastTheLimitIsUnresolvable() {
        var scope = input("{'x': '" + "v".repeat(1 << 18) + "'}");

        assertThat(Template.parse("{{input.x}}".repeat(4)).text(scope)).hasSize(Template.MAX_CHARACTERS);
        assertThatThrownBy(() -> Template.parse("{{input.x}}".repeat(5)).text(scope))
                .isInstanceOf(UnresolvableException.class)
                .hasMessage("the resolved template is longer than 1048576 characters");
    }

    @Test
    void noFailureContainsAValue() {
        var scope = new Scope(json("{'x': 'v4lue'}"), json("{'y': 'v4lue'}"), name -> "v4lue");

        for (var template : new String[] {"{{input.x.y}}", "{{config.y[0]}}", "{{config.v}}", "a{{input.x[0]}}"}) {
            assertThatThrownBy(() -> Template.parse(template).text(scope))
                    .message()
                    .doesNotContain("v4lue");
        }
        assertThat(scope.toString()).doesNotContain("v4lue");
    }

    @Test
    void anUnresolvableTemplateCostsNoStackTrace() {
        assertThatThrownBy(() -> Template.parse("{{config.x}}").text(config("{}")))
                .satisfies(failure -> assertThat(failure.getStackTrace()).isEmpty());
    }
}
