package io.taskexec.worker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.worker.share.LineTurns.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LineTurnsTest {
    private static final List<Integer> LINES = List.of(0, 8, 16, 24);

    private final LineTurns turns = new LineTurns();

    @Test
    void atFirstAllLinesAndOneAloneTakeTurns() {
        assertThat(turns.next(LINES)).isEqualTo(new Turn(LINES, false));
        assertThat(turns.next(LINES).lines()).hasSize(1);
        assertThat(turns.next(LINES)).isEqualTo(new Turn(LINES, false));
    }

    @Test
    void onceALineIsKnownToBeLongEverySecondClaimBeginsWithAllOthers() {
        var _ = run(8, Set.of(8));

        assertThat(run(4, Set.of(8)))
                .containsExactly(
                        new Turn(List.of(0, 16, 24), true),
                        new Turn(List.of(8), false),
                        new Turn(List.of(0, 16, 24), true),
                        new Turn(List.of(8), false));
    }

    @Test
    void longLinesAreEachAloneInTheirTurns() {
        var _ = run(16, Set.of(0, 8, 24));

        assertThat(run(6, Set.of(0, 8, 24)))
                .filteredOn(turn -> !turn.areShort())
                .extracting(Turn::lines)
                .containsExactlyInAnyOrder(List.of(0), List.of(8), List.of(24));
    }

    @Test
    void aLineThatHasBecomeLongIsFoundAndOneThatIsShortAgainIsAmongTheOthers() {
        var _ = run(8, Set.of(8));
        var _ = run(16, Set.of(16));

        assertThat(run(2, Set.of(16))).contains(new Turn(List.of(0, 8, 24), true));
    }

    @Test
    void aLineThatIsGoneIsForgotten() {
        var _ = run(8, Set.of(8));

        assertThat(turns.next(List.of(0, 16)).lines()).isEqualTo(List.of(0, 16));
        assertThat(turns.next(List.of(0, 16)).lines()).hasSize(1).doesNotContain(8);
    }

    @Test
    void aSingleLineIsAlwaysItself() {
        for (var i = 0; i < 6; i++) {
            var turn = turns.next(List.of(8));
            turns.claimed(turn, true);
            assertThat(turn).isEqualTo(new Turn(List.of(8), false));
        }
    }

    /** So many claims while these lines have more than each of them wants. */
    private List<Turn> run(int claims, Set<Integer> areLong) {
        var all = new ArrayList<Turn>();
        for (var i = 0; i < claims; i++) {
            var turn = turns.next(LINES);
            turns.claimed(turn, turn.lines().stream().anyMatch(areLong::contains));
            all.add(turn);
        }
        return all;
    }
}
