package io.taskexec.worker.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeficitRoundRobinTest {
    private static final Map<Integer, Integer> WEIGHTS = Map.of(1, 6, 2, 3, 3, 1);

    private final DeficitRoundRobin shares = new DeficitRoundRobin();
    private final Map<Integer, Integer> sums = new HashMap<>();

    /** All of them have more than they are given. */
    private Map<Integer, Integer> divide(int room, Map<Integer, Integer> weights) {
        var parts = shares.divide(room, weights);
        parts.forEach((key, part) -> {
            shares.took(key, part);
            sums.merge(key, part, Integer::sum);
        });
        return parts;
    }

    private int sum(int key) {
        return sums.getOrDefault(key, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 10, 50, 499})
    void saturatedQueuesHaveTheirWeightsWhateverTheRoomOfAClaimIs(int room) {
        for (var i = 0; i < 1_000; i++) {
            var parts = divide(room, WEIGHTS);

            assertThat(parts.values().stream().mapToInt(Integer::intValue).sum())
                    .isEqualTo(room);
        }

        var one = 100.0 / (1_000 * room);
        assertThat(sum(1) * one).isCloseTo(60, Offset.offset(0.2));
        assertThat(sum(2) * one).isCloseTo(30, Offset.offset(0.2));
        assertThat(sum(3) * one).isCloseTo(10, Offset.offset(0.2));
    }

    @Test
    void theySoDoWhenTheRoomChanges() {
        var random = new Random(18);
        var all = 0;
        for (var i = 0; i < 1_000; i++) {
            var room = 1 + random.nextInt(20);
            all += room;
            var _ = divide(room, WEIGHTS);
        }

        assertThat(100.0 * sum(1) / all).isCloseTo(60, Offset.offset(0.2));
        assertThat(100.0 * sum(3) / all).isCloseTo(10, Offset.offset(0.2));
    }

    @Test
    void oneSlotAfterTheOtherGoesRound() {
        var equal = Map.of(1, 1, 2, 1, 3, 1);

        for (var i = 0; i < 30; i++) {
            assertThat(divide(1, equal).values()).containsExactly(1);
        }

        assertThat(sums).containsOnly(Map.entry(1, 10), Map.entry(2, 10), Map.entry(3, 10));
    }

    @Test
    void theLightestOfManyIsNotStarved() {
        var weights = new LinkedHashMap<Integer, Integer>();
        for (var i = 0; i < 99; i++) {
            weights.put(i, 100);
        }
        weights.put(99, 1);

        // All weights together.
        for (var i = 0; i < 9_901; i++) {
            var _ = divide(1, weights);
        }

        assertThat(sum(99)).isBetween(1, 2);
    }

    @Test
    void whatWasEmptyGainsNoCreditMeanwhile() {
        for (var i = 0; i < 100; i++) {
            var _ = divide(10, Map.of(1, 1));
        }

        assertThat(divide(10, Map.of(1, 1, 2, 1))).containsOnly(Map.entry(1, 5), Map.entry(2, 5));
    }

    @Test
    void whoHasLessThanItsPartLosesTheRest() {
        for (var i = 0; i < 10; i++) {
            var parts = shares.divide(10, Map.of(1, 1, 2, 1));
            assertThat(parts).containsOnly(Map.entry(1, 5), Map.entry(2, 5));
            shares.took(1, 5);
            shares.took(2, 1);

            // It has no more, so the other one has what is left.
            assertThat(divide(4, Map.of(1, 1))).containsOnly(Map.entry(1, 4));
        }
    }

    @Test
    void whoWasGivenLessThanItsPartCatchesUp() {
        assertThat(shares.divide(10, Map.of(1, 1, 2, 1))).containsOnly(Map.entry(1, 5), Map.entry(2, 5));
        shares.took(1, 1);
        shares.took(2, 5);

        assertThat(divide(6, Map.of(1, 1, 2, 1))).containsOnly(Map.entry(1, 5), Map.entry(2, 1));
    }
}
