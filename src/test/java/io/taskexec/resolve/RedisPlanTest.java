package io.taskexec.resolve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.RedisStreamSpec;
import io.taskexec.template.Scope;
import io.taskexec.template.UnresolvableException;
import io.taskexec.testing.Rows;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisPlanTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private static RedisPlan plan(String url, String fields, @Nullable String maxLen) {
        return new RedisPlan(new RedisStreamSpec(
                url,
                "{{config.stream}}",
                Rows.json(fields),
                maxLen == null ? null : Rows.json(maxLen),
                false,
                TIMEOUT,
                IdentitySpec.NONE));
    }

    private static StreamEntry request(RedisPlan plan, String input, String config, Map<String, String> secrets) {
        return (StreamEntry) plan.request(new Scope(Rows.json(input), Rows.json(config), secrets::get));
    }

    private static StreamEntry request(String fields, String input) {
        return request(plan("redis://r", fields, null), input, "{'stream': 's'}", Map.of());
    }

    private static @Nullable Integer maxLen(String maxLen, String config) {
        return request(plan("redis://r", "{'a': 1}", maxLen), "{}", config, Map.of())
                .maxLen();
    }

    @Test
    void everythingIsResolved() {
        var plan = plan("{{config.url}}", "{'n': '{{input.n}}'}", "'{{config.len}}'");

        assertThat(plan.references())
                .extracting(Object::toString)
                .containsExactlyInAnyOrder("config.url", "config.stream", "config.len", "input.n");
        assertThat(request(plan, "{'n': 'one'}", "{'url': 'rediss://r/1', 'stream': 's', 'len': 5}", Map.of()))
                .isEqualTo(new StreamEntry("rediss://r/1", "s", Map.of("n", "one"), 5, false, TIMEOUT));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            '{{input.x}}'         | 'a text'            | a text
            '{{input.x}}'         | ''                  | ``
            '{{input.x}}'         | 12.50               | 12.50
            '{{input.x}}'         | true                | true
            '{{input.x}}'         | {'a' : [1, null]}   | {"a":[1,null]}
            '-{{input.x}}-'       | 7                   | -7-
            {'b': ['{{input.x}}']} | 'c'                | {"b":["c"]}
            12.50                 | 1                   | 12.50
            false                 | 1                   | false
            """)
    void aFieldIsATextOrJson(String template, String input, String text) {
        assertThat(request("{'f': " + template + "}", "{'x': " + input + "}").fields())
                .containsExactly(Map.entry("f", text));
    }

    @Test
    void fieldsKeepTheirOrder() {
        assertThat(request("{'z': 1, 'a': 2, 'm': 3}", "{}").fields().keySet()).containsExactly("z", "a", "m");
    }

    @Test
    void aFieldThatIsNullCannotBeResolved() {
        assertThatThrownBy(() -> request("{'f': '{{input.x}}'}", "{'x': null}"))
                .isInstanceOf(UnresolvableException.class)
                .hasMessage("The field 'f' resolves to null, which Redis cannot store");
    }

    @Test
    void theLengthIsThatOfTheConfigOrAsItStands() {
        assertThat(maxLen("100", "{'stream': 's'}")).isEqualTo(100);
        assertThat(maxLen("1e2", "{'stream': 's'}")).isEqualTo(100);
        assertThat(maxLen("'{{config.len}}'", "{'stream': 's', 'len': 2147483647}"))
                .isEqualTo(Integer.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "'100'", "null", "true", "[1]", "2147483648"})
    void aLengthThatIsNoPositiveWholeNumberCannotBeSent(String length) {
        assertThatThrownBy(() -> maxLen("'{{config.len}}'", "{'stream': 's', 'len': " + length + "}"))
                .isInstanceOf(UnsendableException.class)
                .hasMessageStartingWith("max_len resolves to something else than a whole number");
    }

    @ParameterizedTest
    @CsvSource({
        "redis://u:{{secret.p}}@r, redis://u:p%40s%2Fs%25@r",
        "redis://{{secret.p}}:l%40teral@{{config.host}}/2, redis://p%40s%2Fs%25:l%40teral@r.example:1/2",
        "'redis://u:a-{{secret.p}}-b@r', redis://u:a-p%40s%2Fs%25-b@r",
        "'{{config.scheme}}://:{{secret.p}}@r', rediss://:p%40s%2Fs%25@r",
        "'{{secret.url}}', redis://:as%20it@is"
    })
    void whatStandsForANameOrAPasswordIsEncodedAndAWholeUrlIsNot(String template, String url) {
        var entry = request(
                plan(template, "{'a': 1}", null),
                "{}",
                "{'stream': 's', 'host': 'r.example:1', 'scheme': 'rediss'}",
                Map.of("p", "p@s/s%", "url", "redis://:as%20it@is"));

        assertThat(entry.url()).isEqualTo(url);
    }
}
