package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlTest {
    private static YamlDocument one(String text) throws MalformedTextException {
        return YamlReader.read("a.yaml", text).getFirst();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "true      | true",
                "12.50     | 12.50",
                "-3        | -3",
                "1e3       | 1e3",
                "~         | null",
                "no        | \"no\"",
                "on        | \"on\"",
                "08:30     | \"08:30\"",
                "010       | \"010\"",
                "0x1F      | \"0x1F\"",
                "1_000     | \"1_000\"",
                "2026-01-01 | \"2026-01-01\"",
                "\"12\"    | \"12\"",
                "'true'    | \"true\""
            })
    void plainWordsAreWhatJsonSaysThatTheyAre(String yaml, String json) throws Exception {
        assertThat(one("v: " + yaml).tree()).isEqualTo(Json.parse("{\"v\": " + json + "}"));
    }

    @Test
    void everyValueKnowsItsLine() throws Exception {
        var documents = YamlReader.read("a.yaml", """
                # a comment
                name: a
                spec:
                  headers:
                    X/Y: 1
                  codes: [200,
                    201]
                ---
                name: b
                """);

        var first = documents.getFirst();
        assertThat(first.at("/name")).isEqualTo("a.yaml:2");
        assertThat(first.at("/spec")).isEqualTo("a.yaml:3");
        assertThat(first.at("/spec/headers/X~1Y")).isEqualTo("a.yaml:5");
        assertThat(first.at("/spec/codes/1")).isEqualTo("a.yaml:7");
        assertThat(first.at("/spec/missing/deeper")).isEqualTo("a.yaml:3");
        assertThat(documents.get(1).at("/name")).isEqualTo("a.yaml:9");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a: 1\\nb: [1,\\n  2   | a.yaml:3",
                "a: 1\\nb: 2\\na: 3    | a.yaml:3: The field 'a' is repeated",
                "a: 1\\nb:\\n  <<: *x  | a.yaml:3",
                "a: !!binary aGk=      | a.yaml:1: The tag",
                "a: !java.net.URL x    | a.yaml:1: The tag",
                "a: 1\\n? [b]\\n: c    | a.yaml:2: The name of a field",
                "a: &x [*x]            | a.yaml:1"
            })
    void whatCannotBeReadIsSaidWithItsPlace(String yaml, String says) {
        assertThatThrownBy(() -> one(yaml.replace("\\n", "\n")))
                .isInstanceOf(MalformedTextException.class)
                .hasMessageStartingWith(says);
    }

    @Test
    void anAliasIsWhatItsAnchorIs() throws Exception {
        assertThat(one("a: &x {b: 1}\nc: *x").tree()).isEqualTo(Json.parse("{\"a\":{\"b\":1},\"c\":{\"b\":1}}"));
    }

    @Test
    void jsonWithTabsAndEscapesIsReadToo() throws Exception {
        var json = "{\n\t\"a\": \"\\u00e9\\/\\ud83d\\ude00\",\n\t\"b\": [1, null]\n}";

        assertThat(YamlReader.read("a.json", json).getFirst().tree()).isEqualTo(Json.parse(json));
        assertThat(YamlReader.read("<stdin>", json).getFirst().tree()).isEqualTo(Json.parse(json));
    }

    @Test
    void aLotFromLittleIsRefused() {
        var bomb = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for (var i = 1; i < 9; i++) {
            var alias = "*a" + (i - 1);
            bomb.append("a%d: &a%d [%s,%s,%s,%s,%s]\n".formatted(i, i, alias, alias, alias, alias, alias));
        }

        assertThatThrownBy(() -> one(bomb.toString())).isInstanceOf(MalformedTextException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\":\"true\",\"b\":\"no\",\"c\":\"12\",\"d\":\"1e3\",\"e\":\"~\",\"f\":\"\",\"g\":\"08:30\"}",
                "{\"a\":12.50,\"b\":1E+3,\"c\":-0.1,\"d\":123456789012345678901234567890,\"e\":null,\"f\":false}",
                "{\"a\":[],\"b\":{},\"c\":[{\"d\":[1,[2]]}],\"- x\":\": y #\"}",
                "{\"a\":\"two\\nlines\\n\",\"b\":\" space\",\"c\":\"tab\\there\",\"d\":\"\\u001b[31m\"}",
                "{\"a\":\"'\\\"{{input.x}}\",\"b\":\"*x\",\"c\":\"&x\",\"d\":\"a: b\",\"e\":\"\uD83D\uDE00\"}"
            })
    void whatIsWrittenIsReadAsItWas(String json) throws Exception {
        var tree = Json.parse(json);

        assertThat(one(YamlWriter.write(tree)).tree()).isEqualTo(tree);
    }

    @Test
    void whatIsWrittenIsForPeople() throws Exception {
        assertThat(YamlWriter.write(Json.parse("{\"a\":{\"b\":\"x\\ny\\n\",\"c\":[1,\"2\"]},\"d\":\"yes\"}")))
                .isEqualTo("""
                        a:
                          b: |
                            x
                            y
                          c:
                          - 1
                          - '2'
                        d: 'yes'
                        """);
    }
}
