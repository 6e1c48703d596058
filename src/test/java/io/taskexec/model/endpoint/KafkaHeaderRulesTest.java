package io.taskexec.model.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaHeaderRulesTest {
    @ParameterizedTest
    @ValueSource(strings = {"ce-type", "Content-Type", "x", "with space", "ü", "cent", "taskexec"})
    void mostNamesMayBeUsed(String name) {
        assertThat(KafkaHeaderRules.violation(Map.of(name, ""))).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idempotency-key",
                "Idempotency-Key",
                "taskexec-attempt",
                "TASKEXEC-x",
                "ce_type",
                "Ce_Id",
                "webhook-signature",
                "traceparent",
                "TraceParent",
                "tracestate"
            })
    void reservedNamesMayNotInWhateverCase(String name) {
        assertThat(KafkaHeaderRules.violation(Map.of(name, "")))
                .contains("reserved")
                .contains(name);
    }

    @Test
    void namesAndValuesHaveABound() {
        assertThat(KafkaHeaderRules.violation(Map.of("", "a"))).contains("names of 1 to 256");
        assertThat(KafkaHeaderRules.violation(Map.of("a".repeat(256), "b".repeat(8_192))))
                .isNull();
        assertThat(KafkaHeaderRules.violation(Map.of("a".repeat(257), "b"))).contains("names of 1 to 256");
        assertThat(KafkaHeaderRules.violation(Map.of("a", "b".repeat(8_193))))
                .contains("values of at most 8192")
                .doesNotContain("bb");
    }

    @Test
    void soHasTheirNumber() {
        assertThat(KafkaHeaderRules.violation(headers(64))).isNull();
        assertThat(KafkaHeaderRules.violation(headers(65))).contains("at most 64");
    }

    private static Map<String, String> headers(int count) {
        return IntStream.range(0, count).boxed().collect(Collectors.toMap(i -> "h" + i, _ -> ""));
    }
}
