package io.taskexec.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.testing.Rows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputTest {
    private static JsonNode body(String text) {
        return JsonNodeFactory.instance.objectNode().put("body", text);
    }

    @Test
    void aBodyThatIsJsonIsThereAsJsonToo() {
        var output = body(" {\"n\": 12.50}\n");

        assertThat(String.valueOf(Output.withJson(output)))
                .isEqualTo("{\"body\":\" {\\\"n\\\": 12.50}\\n\",\"json\":{\"n\":12.50}}");
        assertThat(output.has("json")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text",
                "5",
                "{\"half",
                "",
                "{} {}",
                "{\"a\":1e99999999999}",
                "[1e-2147483648]",
                "{\"a\":\"\\u0000\"}",
                "{\"\\u0000\":1}",
                "[\"\\ud800\"]"
            })
    void otherwiseTheOutputStaysAsItIs(String text) {
        assertThat(Output.withJson(body(text))).isEqualTo(body(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{'body': '{}', 'truncated': true}", "{'offset': 5}", "[]"})
    void soDoesOneWithoutAWholeBody(String output) {
        assertThat(Output.withJson(Rows.json(output))).isEqualTo(Rows.json(output));
    }

    @Test
    void jsonThatIsTooDeepToBecomeAPartOfOtherJsonIsLeftAlone() {
        var depth = Json.MAX_PART_DEPTH + 1;
        var output = body("[".repeat(depth) + "]".repeat(depth));

        assertThat(Output.withJson(output)).isEqualTo(output);
    }
}
