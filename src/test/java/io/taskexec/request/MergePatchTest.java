package io.taskexec.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MergePatchTest {
    /** The cases of RFC 7396, appendix A, whose document and patch are objects. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            {"a":"b"}           | {"a":"c"}              | {"a":"c"}
            {"a":"b"}           | {"b":"c"}              | {"a":"b","b":"c"}
            {"a":"b"}           | {"a":null}             | {}
            {"a":"b","b":"c"}   | {"a":null}             | {"b":"c"}
            {"a":["b"]}         | {"a":"c"}              | {"a":"c"}
            {"a":"c"}           | {"a":["b"]}            | {"a":["b"]}
            {"a":{"b":"c"}}     | {"a":{"b":"d","c":null}} | {"a":{"b":"d"}}
            {"a":[{"b":"c"}]}   | {"a":[1]}              | {"a":[1]}
            {"e":null}          | {"a":1}                | {"e":null,"a":1}
            {}                  | {"a":{"bb":{"ccc":null}}} | {"a":{"bb":{}}}
            {"a":"b"}           | {}                     | {"a":"b"}
            """)
    void aPatchChangesWhatItNames(String document, String patch, String expected) throws JsonProcessingException {
        var before = object(document);
        var changes = object(patch);

        assertThat(MergePatch.apply(before, changes)).isEqualTo(object(expected));
        assertThat(before).isEqualTo(object(document));
        assertThat(changes).isEqualTo(object(patch));
    }

    private static ObjectNode object(String text) throws JsonProcessingException {
        return (ObjectNode) Json.parse(text);
    }
}
