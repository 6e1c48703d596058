package io.taskexec.store.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.sql.Lanes;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaneLooksTest {
    /** The looks as "lane+steps", in their order. */
    private static List<String> looks(LaneLooks looks, boolean agedFirst) {
        return IntStream.range(0, looks.priorities().length)
                .filter(i -> looks.agedFirst()[i] == agedFirst)
                .mapToObj(i -> looks.priorities()[i] + "+" + looks.steps()[i])
                .toList();
    }

    @Test
    void withoutAgingEachLaneIsLookedAtOnceTheMostUrgentFirst() {
        assertThat(looks(LaneLooks.of(false, Lanes.PRIORITIES - 1), false))
                .containsExactly("0+0", "1+0", "2+0", "3+0", "4+0", "5+0", "6+0", "7+0");
    }

    @Test
    void withAgingEachStepRaisesThePriorityByOne() {
        assertThat(looks(LaneLooks.of(true, Lanes.PRIORITIES - 1), false))
                .hasSize(36)
                .startsWith("0+0", "1+1", "2+2", "3+3", "4+4", "5+5", "6+6", "7+7", "1+0", "2+1")
                .endsWith("6+0", "7+1", "7+0");
    }

    @Test
    void otherClaimsPreferWhatHasAgedMostOfWhatIsEquallyUrgent() {
        assertThat(looks(LaneLooks.of(true, Lanes.PRIORITIES - 1), true))
                .hasSize(36)
                .startsWith("7+7", "6+6", "5+5", "4+4", "3+3", "2+2", "1+1", "0+0", "7+6", "6+5")
                .endsWith("7+1", "6+0", "7+0");
    }
}
