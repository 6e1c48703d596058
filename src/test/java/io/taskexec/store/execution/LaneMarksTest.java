package io.taskexec.store.execution;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.execution.LaneMarks.Last;
import io.taskexec.store.execution.LaneMarks.Look;
import io.taskexec.store.execution.LaneMarks.Part;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LaneMarksTest {
    private static final Integer[] LANES = {5, 3, 4, 8};

    /** The clock may be anywhere, also below zero. */
    private static final long START = -500;

    private final LaneMarks marks = new LaneMarks(START);

    private static long at(long millis) {
        return START + Duration.ofMillis(millis).toNanos();
    }

    private void claimed(long at, int count, @Nullable Last last) {
        marks.claimed(marks.forClaim(LANES, at), at, at, count, last);
    }

    private void assertParts(long millis, Part... parts) {
        var found = marks.forNext(LANES, at(millis));
        assertThat(found.lanes()).containsExactly(3, 4, 5, 8);
        assertThat(found.parts()).containsExactly(parts);
    }

    @Test
    void atFirstAllThatIsDueIsLookedAt() {
        assertParts(0, new Part(1, 4, null));
        assertThat(marks.forNext(LANES, at(0)).areMarked()).isFalse();
    }

    @Test
    void afterAClaimOfAllThatWasDueOnlyWhatCameSinceIsLookedAt() {
        claimed(at(100), LaneMarks.ENOUGH, null);

        assertParts(400, new Part(1, 4, 401L));
        assertThat(marks.forNext(LANES, at(400)).areMarked()).isTrue();
    }

    @Test
    void aClaimThatWasFullMarksItsPlaceAndTheLanesBefore() {
        claimed(at(100), LaneMarks.ENOUGH, new Last(4, Duration.ofMillis(60).toNanos()));

        assertParts(100, new Part(1, 1, 101L), new Part(2, 2, 161L), new Part(3, 4, null));

        claimed(at(200), LaneMarks.ENOUGH, new Last(5, 0L));

        assertParts(200, new Part(1, 3, 101L), new Part(4, 4, null));

        claimed(at(200), LaneMarks.ENOUGH, new Last(4, null));

        assertParts(200, new Part(1, 1, 101L), new Part(2, 2, null), new Part(3, 3, 101L), new Part(4, 4, null));
    }

    @Test
    void nowAndThenAClaimLooksFurtherBack() {
        claimed(at(100), LaneMarks.ENOUGH, null);

        assertThat(marks.forClaim(LANES, at(199)).parts()).containsExactly(new Part(1, 4, 200L));
        assertThat(marks.forClaim(LANES, at(200)).parts()).containsExactly(new Part(1, 4, 1_101L));
        assertThat(marks.forClaim(LANES, at(399)).parts()).containsExactly(new Part(1, 4, 400L));
        assertThat(marks.forClaim(LANES, at(400)).parts()).containsExactly(new Part(1, 4, 1_301L));
    }

    @Test
    void whatIsOlderIsLookedAtNowAndThen() {
        assertThat(marks.beginLook(at(6_000))).as("without marks").isNull();
        claimed(at(6_000), LaneMarks.ENOUGH, null);
        assertThat(marks.forOlder(at(6_000)).lanes()).containsExactly(3, 4, 5, 8);

        var first = new Look(at(6_000), null);
        assertThat(marks.beginLook(at(6_000))).isEqualTo(first);
        assertThat(marks.beginLook(at(60_000))).as("another one meanwhile").isNull();
        marks.looked(first, at(6_001));
        assertThat(marks.beginLook(at(11_000))).isNull();
        assertThat(marks.beginLook(at(11_001))).isEqualTo(new Look(at(11_001), null));
    }

    @Test
    void whereALookAtEverythingTakesLongMostLooksBeginNearTheMarks() {
        claimed(at(6_000), LaneMarks.ENOUGH, null);
        var whole = requireNonNull(marks.beginLook(at(6_000)));
        marks.looked(whole, at(6_100));

        var near = new Look(at(11_100), LaneMarks.NEAR);
        assertThat(marks.beginLook(at(11_100))).isEqualTo(near);
        marks.looked(near, at(11_400));
        assertThat(marks.beginLook(at(26_099))).isEqualTo(new Look(at(26_099), LaneMarks.NEAR));
        marks.looked(near, at(21_000));
        assertThat(marks.beginLook(at(26_100))).isEqualTo(new Look(at(26_100), null));
    }

    @Test
    void aClaimThatBeganAtAMarkMakesNoneAfterAllWereForgotten() {
        claimed(at(100), LaneMarks.ENOUGH, null);
        var parts = marks.forClaim(LANES, at(150));

        marks.clear();
        marks.claimed(parts, at(150), at(150), 1, null);

        assertParts(160, new Part(1, 4, null));
    }

    @Test
    void aClaimThatTookLongerThanItLookedBackMovesNoMarkAndTheNextOneLooksFurtherBack() {
        claimed(at(100), LaneMarks.ENOUGH, null);

        marks.claimed(marks.forClaim(LANES, at(150)), at(150), at(251), 1, null);

        assertParts(260, new Part(1, 4, 261L));
        var wide = marks.forClaim(LANES, at(260));
        assertThat(wide.parts()).containsExactly(new Part(1, 4, 1_161L));
        marks.claimed(wide, at(260), at(1_260), 1, null);
        assertParts(1_260, new Part(1, 4, 1_101L));
    }

    @Test
    void allIsLookedAtAfterAClaimThatTookLongerThanTheFurthestLookBack() {
        claimed(at(100), LaneMarks.ENOUGH, null);

        marks.claimed(marks.forClaim(LANES, at(300)), at(300), at(1_301), LaneMarks.ENOUGH, null);

        assertParts(1_310, new Part(1, 4, null));
        marks.claimed(marks.forClaim(LANES, at(1_320)), at(1_320), at(9_000), LaneMarks.ENOUGH, null);
        assertParts(9_000, new Part(1, 4, 7_781L));
    }

    @Test
    void aClaimOfAllSaysNothingOfMarks() {
        var all = LaneMarks.unmarked(LANES);
        assertThat(all.lanes()).containsExactly(3, 4, 5, 8);
        assertThat(all.parts()).containsExactly(new Part(1, 4, null));

        marks.claimed(all, at(100), at(100), LaneMarks.ENOUGH, null);

        assertParts(100, new Part(1, 4, null));
    }

    @Test
    void whileLittleComesAllIsLookedAt() {
        claimed(at(100), LaneMarks.ENOUGH - 1, null);
        assertParts(100, new Part(1, 4, null));

        claimed(at(2_000), 1, null);
        assertParts(2_000, new Part(1, 4, 101L));
        assertParts(4_000, new Part(1, 4, 2_101L));

        claimed(at(4_100), LaneMarks.ENOUGH - 1, null);
        assertParts(6_000, new Part(1, 4, 2_001L));
        assertParts(8_200, new Part(1, 4, null));
    }

    @Test
    void whatBeganWhenItWasCreatedCountsLikeWhatWasClaimed() {
        for (var i = 0; i < LaneMarks.ENOUGH; i++) {
            marks.beganAtOnce(at(50));
        }
        claimed(at(100), 0, null);

        assertParts(200, new Part(1, 4, 201L));
    }
}
