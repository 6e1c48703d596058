package io.taskexec.worker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.worker.share.LineTurns.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LineTurnsTest {
    private static final List<Integer> LINES = List.of(0, 8, 16, 24);

    private final LineTurns turns = new LineTurns();

    @Test
    void atFirstAllLinesAndOneAloneTakeTurns() {
        assertThat(run(4, Set.of()))
                .containsExactly(
                        Turn.all(LINES), new Turn(List.of(0), LINES), Turn.all(LINES), new Turn(List.of(8), LINES));
    }

    @Test
    void onceALineIsKnownToBeLongEverySecondClaimBeginsWithAllOthers() {
        var _ = run(8, Set.of(8));

        assertThat(run(4, Set.of(8)))
                .containsExactly(
                        new Turn(List.of(0, 16, 24), List.of(8)),
                        new Turn(List.of(8), LINES),
                        new Turn(List.of(0, 16, 24), List.of(8)),
                        new Turn(List.of(8), LINES));
    }

    @Test
    void longLinesHaveEqualPartsOfTheClaims() {
        for (var areLong : List.of(Set.of(0, 8, 24), Set.of(0, 8, 16, 24))) {
            var _ = run(24, areLong);

            var chosen = run(24, areLong).stream()
                    .map(turn -> turn.rest().size() == 1 ? turn.rest() : turn.first())
                    .collect(Collectors.groupingBy(line -> line, Collectors.counting()));

            assertThat(chosen).hasSize(areLong.size());
            assertThat(chosen.values()).containsOnly(24L / areLong.size());
        }
    }

    @Test
    void aLineThatHasBecomeLongIsFoundAndOneThatIsShortAgainIsAmongTheOthers() {
        var _ = run(8, Set.of(8));
        var _ = run(16, Set.of(16));

        assertThat(run(2, Set.of(16))).contains(new Turn(List.of(0, 8, 24), List.of(16)));
    }

    @Test
    void whoOnlyLooksTakesNoTurn() {
        var _ = run(9, Set.of(8));

        assertThat(turns.next(LINES)).isEqualTo(turns.next(LINES));
    }

    @Test
    void whereOnlyOneLongLineWasAskedForTheRestThereMayBeMore() {
        var _ = run(8, Set.of(8));

        assertThat(run(2, Set.of(8))).extracting(turn -> turn.isForAll(LINES)).containsExactlyInAnyOrder(true, false);
        assertThat(Turn.all(LINES).isForAll(LINES)).isTrue();
    }

    @Test
    void aLineThatIsGoneIsForgotten() {
        var _ = run(8, Set.of(8));

        var few = List.of(0, 16);
        for (var i = 0; i < 4; i++) {
            var turn = turns.next(few);
            turns.claimed(turn, false);
            assertThat(few).containsAll(turn.first()).containsAll(turn.rest());
        }
    }

    @Test
    void aSingleLineIsAlwaysItself() {
        for (var i = 0; i < 6; i++) {
            var turn = turns.next(List.of(8));
            turns.claimed(turn, true);
            assertThat(turn).isEqualTo(Turn.all(List.of(8)));
        }
    }

    /** So many claims while these lines have more than each of them wants. */
    private List<Turn> run(int claims, Set<Integer> areLong) {
        var all = new ArrayList<Turn>();
        for (var i = 0; i < claims; i++) {
            var turn = turns.next(LINES);
            turns.claimed(turn, turn.first().stream().anyMatch(areLong::contains));
            all.add(turn);
        }
        return all;
    }
}
