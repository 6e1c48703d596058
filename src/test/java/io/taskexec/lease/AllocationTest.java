package io.taskexec.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.lease.Allocation.Want;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AllocationTest {
    private static Allocation of(int turn, int most, Want... wants) {
        return Allocation.of(List.of(wants), Set.of(), turn, most);
    }

    @Test
    void eachCallerGetsOneInItsTurnUntilAllHaveWhatTheyWant() {
        var allocation = of(0, 100, new Want(List.of("a"), 3), new Want(List.of("a"), 1), new Want(List.of("a"), 2));

        assertThat(allocation.limits()).isEqualTo(Map.of("a", 6));
        assertThat(allocation.deal("a", 6)).containsExactly(0, 1, 2, 0, 2, 0);
        assertThat(allocation.deal("a", 2)).containsExactly(0, 1);
        assertThat(allocation.deal("a", 0)).isEmpty();
    }

    @Test
    void anotherCallerIsFirstInTheNextTurn() {
        var want = new Want(List.of("a"), 1);

        assertThat(of(1, 100, want, want, want).deal("a", 1)).containsExactly(1);
        assertThat(of(2, 100, want, want, want).deal("a", 1)).containsExactly(2);
        assertThat(of(3, 100, want, want, want).deal("a", 1)).containsExactly(0);
        assertThat(of(5, 100, want, want, want).inTurn(List.of("x", "y", "z"))).containsExactly("z", "x", "y");
    }

    @Test
    void aCallerTakesItsEndpointsInTurns() {
        var want = new Want(List.of("a", "b"), 4);

        assertThat(of(0, 100, want).limits()).isEqualTo(Map.of("a", 2, "b", 2));
        assertThat(of(0, 100, new Want(List.of("a", "b"), 1)).limits()).isEqualTo(Map.of("a", 1));
        assertThat(of(1, 100, new Want(List.of("a", "b"), 1)).limits()).isEqualTo(Map.of("b", 1));
    }

    @Test
    void endpointsWithoutWorkAreLeftToTheOthers() {
        var wants = List.of(new Want(List.of("a", "b"), 4), new Want(List.of("a"), 2));

        var allocation = Allocation.of(wants, Set.of("a"), 0, 100);

        assertThat(allocation.limits()).isEqualTo(Map.of("b", 4));
        assertThat(allocation.deal("a", 1)).isEmpty();
        assertThat(Allocation.of(wants, Set.of("a", "b"), 0, 100).limits()).isEmpty();
        assertThat(Allocation.of(List.of(), Set.of(), 5, 100).limits()).isEmpty();
    }

    @Test
    void noMoreAreSharedOutThanOneClaimMayBring() {
        var want = new Want(List.of("a"), 500);

        var allocation = of(0, 500, want, want);

        assertThat(allocation.limits()).isEqualTo(Map.of("a", 500));
        assertThat(allocation.deal("a", 500))
                .containsOnly(0, 1)
                .filteredOn(caller -> caller == 0)
                .hasSize(250);
    }

    @Test
    void whateverIsClaimedHasATakerThatWantsIt() {
        var random = new Random(7);
        for (var round = 0; round < 500; round++) {
            var wants = IntStream.range(0, 1 + random.nextInt(6))
                    .mapToObj(_ -> new Want(
                            List.of("a", "b", "c").subList(random.nextInt(2), 2 + random.nextInt(2)),
                            random.nextInt(8)))
                    .toList();
            var allocation = Allocation.of(wants, Set.of(), random.nextInt(), 20);
            var got = new int[wants.size()];
            allocation.limits().forEach((endpoint, limit) -> {
                var dealt = allocation.deal(endpoint, limit);
                assertThat(dealt).hasSize(limit);
                dealt.forEach(caller -> {
                    assertThat(wants.get(caller).endpoints()).contains(endpoint);
                    got[caller]++;
                });
            });
            for (var caller = 0; caller < got.length; caller++) {
                assertThat(got[caller]).isLessThanOrEqualTo(wants.get(caller).room());
            }
        }
    }
}
