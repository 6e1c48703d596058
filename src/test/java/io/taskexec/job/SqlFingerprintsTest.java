package io.taskexec.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.Json;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.math.BigDecimal;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The functions for applications tell requests apart as the API does. */
@StoreTest(clearJobs = false)
@NeedsOwnServer("They are only for PostgreSQL.")
class SqlFingerprintsTest {
    @Inject
    private static TestDb db;

    private static JsonNode json(String text) {
        try {
            return Json.parse(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static String canonicalByFunction(String input) {
        return db.row(
                        "SELECT taskexec_fingerprint(taskexec_part('x'), taskexec_canonical($1::text::json, 63))::text",
                        input)
                .getString(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0.0",
                "1e5",
                "100000",
                "-12.3400",
                "123456789012345678",
                "999999999999999999999999",
                "-1234567890123456789012345678901234567890.5",
                "1E-999",
                "12e999999",
                "\"\"",
                "\"\\ud83d\\ude00 \\u00e4 \\\\ \\\" \\n\"",
                "[[], {}, [null, true, false]]",
                "{\"\\uE000\": 1, \"\\ud83d\\ude00\": 2, \"z\": 3, \"ä\": 4, \"\": 5}"
            })
    void equalJsonHasOneFingerprint(String input) {
        assertThat(canonicalByFunction(input))
                .isEqualTo(Fingerprint.of("x", json(input)).toString());
    }

    @Test
    void anyJsonHasTheSameFingerprintOnBothSides() {
        var seed = System.nanoTime();
        var random = new Random(seed);
        for (var i = 0; i < 300; i++) {
            var tree = tree(random, 0);
            assertThat(canonicalByFunction(Json.write(tree)))
                    .as("seed %d: %s", seed, tree)
                    .isEqualTo(Fingerprint.of("x", tree).toString());
        }
    }

    private static JsonNode tree(Random random, int depth) {
        var nodes = JsonNodeFactory.instance;
        return switch (random.nextInt(depth > 4 ? 4 : 6)) {
            case 0 -> random.nextBoolean() ? nodes.nullNode() : nodes.booleanNode(random.nextBoolean());
            case 1 ->
                nodes.numberNode(new BigDecimal(Long.toString(random.nextLong() >> random.nextInt(64)))
                        .scaleByPowerOfTen(random.nextInt(40) - 20));
            case 2 -> nodes.numberNode(random.nextLong() >> random.nextInt(64));
            case 3 -> nodes.textNode(text(random));
            case 4 -> {
                var array = nodes.arrayNode();
                Stream.generate(() -> tree(random, depth + 1))
                        .limit(random.nextInt(5))
                        .forEach(array::add);
                yield array;
            }
            default -> {
                var object = nodes.objectNode();
                Stream.generate(() -> tree(random, depth + 1))
                        .limit(random.nextInt(6))
                        .forEach(value -> object.set(text(random), value));
                yield object;
            }
        };
    }

    private static String text(Random random) {
        var alphabet = "ab\"\\\n äß\uE000\uFFFD😀🏳".codePoints().toArray();
        return random.ints(random.nextInt(6), 0, alphabet.length)
                .map(i -> alphabet[i])
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
