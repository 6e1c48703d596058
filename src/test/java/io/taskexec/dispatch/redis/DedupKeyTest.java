package io.taskexec.dispatch.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DedupKeyTest {
    private static final UUID EXECUTION = UUID.fromString("0195a000-0000-7000-8000-000000000001");
    private static final String ID = "exec_0195a000000070008000000000000001";

    @ParameterizedTest
    @CsvSource({"orders, orders", "orders:{eu}:new, eu", "a{b}{c}, b", "a{b{c}d, b{c", "a{b, a{b", "{x, {x"})
    void itHasTheHashTagOfTheStream(String stream, String tag) {
        assertThat(DedupKey.of(stream, EXECUTION)).isEqualTo("taskexec:dedup:{" + tag + "}:" + ID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orders",
                "{eu}orders",
                "a{b}{c}",
                "a{b{c}d",
                "a{b",
                "a}b",
                "}",
                "{",
                "{}",
                "}{",
                "{}{a}",
                "a{}b",
                "}a{b}c",
                "",
                " ",
                "Grüße}",
                "😀}"
            })
    void aClusterKeepsItWhereItKeepsTheStream(String stream) {
        assertThat(SlotHash.getSlot(DedupKey.of(stream, EXECUTION))).isEqualTo(SlotHash.getSlot(stream));
    }
}
