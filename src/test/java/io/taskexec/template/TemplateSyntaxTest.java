package io.taskexec.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateSyntaxTest {
    private static final List<String> SHARDS =
            List.of("{{", "}}", "{", "}", "\\", "input", "secret", ".", "x", "[", "1", "]", " ", "é");
    private static final Scope EMPTY = new Scope(null, null, SecretSource.NONE);

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "plain", "{", "}", "}}", "{ {input.x} }", "a\\b", "\\", "\\{", "naïve 🎉 \u0000"})
    void aTextWithoutPlaceholdersStandsForItself(String text) {
        assertThat(Template.parse(text).text(EMPTY)).isEqualTo(text);
        assertThat(Template.parse(text).references()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"\\{{, {{", "\\{{input.x}}, {{input.x}}", "a\\{{b\\{{c, a{{b{{c", "\\\\{{x, \\{{x", "\\{{{, {{{"})
    void aBackslashMakesOpeningBracesLiteral(String text, String meaning) {
        assertThat(Template.parse(text).text(EMPTY)).isEqualTo(meaning);
    }

    @ParameterizedTest
    @CsvSource({
        "{{input.user_id}}, input.user_id",
        "{{ input.a.b }}, input.a.b",
        "'{{\t\nconfig.a\r}}', config.a",
        "{{input.items[0].name}}, input.items[0].name",
        "{{input[12][007]}}, input[12][7]",
        "{{input.0.-._}}, input.0.-._",
        "{{secret.email-api_key}}, secret.email-api_key",
        "{{input.input.config.secret}}, input.input.config.secret"
    })
    void aReferencePrintsAsItsPath(String text, String path) {
        assertThat(Template.parse(text).references()).map(Reference::toString).containsExactly(path);
    }

    @Test
    void referencesComeOnceEachInOrderOfAppearance() {
        var references = Template.parse("{{config.b}}{{input.a}}{{config.b}}").references();

        assertThat(references).map(Reference::toString).containsExactly("config.b", "input.a");
    }

    @Test
    void onlyAReferenceToASecretHasASecretName() {
        var references = Template.parse("{{secret.key}}{{input.key}}").references();

        assertThat(references).map(Reference::secretName).containsExactly("key", null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{{env.HOME}} | unknown namespace 'env' (known are input, config, secret, parents, workflow, job)"
                        + " at offset 2",
                "a {{In.x}} | unknown namespace 'In' (known are input, config, secret, parents, workflow, job)"
                        + " at offset 4",
                "{{}} | a namespace is missing at offset 2",
                "{{ }} | a namespace is missing at offset 3",
                "{{{input.x}}} | a namespace is missing at offset 2",
                "{{input}} | 'input' alone is not a value: name one of its members at offset 2",
                "{{secret}} | 'secret' alone is not a value: name one of its members at offset 2",
                "{{input.}} | a name is missing at offset 8",
                "{{input..x}} | a name is missing at offset 8",
                "{{input.x.}} | a name is missing at offset 10",
                "{{input.x y}} | unexpected 'y' in a placeholder at offset 10",
                "{{input .x}} | unexpected '.' in a placeholder at offset 8",
                "{{input.naïve}} | unexpected 'ï' in a placeholder at offset 10",
                "{{input.🎉}} | a name is missing at offset 8",
                "{{input.x🎉}} | unexpected '🎉' in a placeholder at offset 9",
                "{{input.a[]}} | an index is 1 to 9 digits and a closing bracket at offset 10",
                "{{input.a[-1]}} | an index is 1 to 9 digits and a closing bracket at offset 10",
                "{{input.a[x]}} | an index is 1 to 9 digits and a closing bracket at offset 10",
                "{{input.a[1 ]}} | an index is 1 to 9 digits and a closing bracket at offset 10",
                "{{input.a[9999999999]}} | an index is 1 to 9 digits and a closing bracket at offset 10",
                "{{input.a[٣]}} | an index is 1 to 9 digits and a closing bracket at offset 10",
                "{{secret.a.b}} | a secret has no members: write {{secret.name}} at offset 2",
                "{{secret[0]}} | a secret has no members: write {{secret.name}} at offset 2",
                "{{secret.a[0]}} | a secret has no members: write {{secret.name}} at offset 2"
            })
    void aMalformedPlaceholderIsRefusedWithItsOffset(String text, String message) {
        assertThatThrownBy(() -> Template.parse(text))
                .isInstanceOf(TemplateSyntaxException.class)
                .hasMessage(message);
    }

    @Test
    void aFilterIsRefused() {
        assertThatThrownBy(() -> Template.parse("{{input.x | default}}"))
                .isInstanceOf(TemplateSyntaxException.class)
                .hasMessage("unexpected '|' in a placeholder at offset 10");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ab{{",
                "ab{{ ",
                "ab{{input",
                "ab{{input.",
                "ab{{input.x",
                "ab{{input.x}",
                "ab{{input.x[",
                "ab{{input.x[1"
            })
    void anUnclosedPlaceholderIsRefused(String text) {
        assertThatThrownBy(() -> Template.parse(text))
                .isInstanceOf(TemplateSyntaxException.class)
                .message()
                .matches("('\\{\\{' is not closed by '}}' .*at offset 2|unexpected '}' in a placeholder at offset 11)");
    }

    @Test
    void aLongUnknownNamespaceIsNotRepeatedAtLength() {
        assertThatThrownBy(() -> Template.parse("{{" + "x".repeat(100_000) + ".y}}"))
                .isInstanceOf(TemplateSyntaxException.class)
                .message()
                .hasSizeLessThan(150);
    }

    @Test
    void aPathOfAHundredThousandStepsParses() {
        var reference =
                Template.parse("{{input" + ".a[0]".repeat(50_000) + "}}").references();

        assertThat(reference)
                .singleElement()
                .satisfies(it -> assertThat(it.path()).hasSize(100_000));
    }

    @Test
    void aRandomTextEitherParsesOrIsRefusedAsMalformed() {
        var seed = System.nanoTime();
        var random = new Random(seed);
        for (var round = 0; round < 20_000; round++) {
            var text = Stream.generate(() -> SHARDS.get(random.nextInt(SHARDS.size())))
                    .limit(random.nextInt(12))
                    .collect(Collectors.joining());
            assertThat(failure(text))
                    .as("seed %d, text %s", seed, text)
                    .matches(it -> it == null || it instanceof TemplateSyntaxException);
        }
    }

    private static @Nullable Throwable failure(String text) {
        return catchThrowable(() -> Template.parse(text));
    }
}
