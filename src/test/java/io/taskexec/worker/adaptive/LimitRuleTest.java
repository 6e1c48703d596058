package io.taskexec.worker.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.flow.AdaptiveLimit;
import io.taskexec.worker.adaptive.LimitRule.Change;
import io.taskexec.worker.adaptive.LimitRule.Decision;
import io.taskexec.worker.adaptive.LimitRule.End;
import io.taskexec.worker.adaptive.LimitRule.Keep;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LimitRuleTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Answers WELL = new Answers(1_000, 0, 1_000, 1);

    private static AdaptiveLimit limit(int limit, @Nullable Integer ceiling, Duration sinceChange) {
        return new AdaptiveLimit("mail", limit, ceiling, 1, sinceChange, null, limit, true);
    }

    private static AdaptiveLimit refused(int limit, int ceiling, Duration ago) {
        return new AdaptiveLimit("mail", limit, ceiling, 1, ago, ago, limit, true);
    }

    private static Decision next(AdaptiveLimit limit, Answers answers) {
        return LimitRule.next(limit, answers);
    }

    @Test
    void whenAQuarterIsRefusedHalfOfTheCallsRemain() {
        assertThat(next(limit(64, 90, Duration.ZERO), new Answers(100, 25, 100, 1)))
                .isEqualTo(new Change(32, 64, true));
    }

    @Test
    void fewRefusalsTakeATwentiethAndAtLeastOneCall() {
        assertThat(next(limit(40, null, Duration.ZERO), new Answers(100, 2, 100, 1)))
                .isEqualTo(new Change(38, 40, true));
        assertThat(next(limit(3, null, Duration.ZERO), new Answers(10, 2, 10, 1)))
                .isEqualTo(new Change(2, 3, true));
    }

    @Test
    void oneRefusalAndOneInAHundredAreTolerated() {
        assertThat(next(limit(20, 30, Duration.ZERO), new Answers(3, 1, 3, 1))).isInstanceOf(Keep.class);
        assertThat(next(limit(20, 30, Duration.ZERO), new Answers(500, 5, 500, 1)))
                .isInstanceOf(Keep.class);
    }

    @Test
    void oneCallIsTheLeast() {
        assertThat(next(limit(1, 2, Duration.ZERO), new Answers(5, 5, 5, 1))).isEqualTo(new Change(1, 1, true));
    }

    @Test
    void aReceiverThatHasRecoveredGetsTwiceAsMuchWithEverySecond() {
        assertThat(next(limit(4, null, Duration.ofMillis(999)), WELL)).isInstanceOf(Keep.class);
        assertThat(next(limit(4, null, Duration.ofSeconds(1)), WELL)).isEqualTo(new Change(8, null, false));
    }

    @Test
    void farBelowWhatWasRefusedItGrowsFastAndNearItOneByOne() {
        assertThat(next(limit(10, 30, Duration.ofMillis(200)), WELL)).isEqualTo(new Change(20, 30, false));
        assertThat(next(limit(27, 30, Duration.ofMillis(499)), WELL)).isInstanceOf(Keep.class);
        assertThat(next(limit(27, 30, Duration.ofMillis(500)), WELL)).isEqualTo(new Change(28, 30, false));
    }

    @Test
    void whatWasRefusedIsTriedAgainAfterFiveSeconds() {
        assertThat(next(refused(29, 30, Duration.ofSeconds(4)), WELL)).isInstanceOf(Keep.class);
        assertThat(next(refused(29, 30, Duration.ofSeconds(5)), WELL)).isEqualTo(new Change(30, 30, false));
        assertThat(next(refused(30, 30, Duration.ofSeconds(5)), WELL)).isEqualTo(new Change(31, 37, false));
        assertThat(next(refused(1, 1, Duration.ofSeconds(1)), WELL)).isInstanceOf(Keep.class);
    }

    @Test
    void itDoesNotGrowBeforeEachPlaceWasUsedNorWhileNothingWaits() {
        assertThat(next(limit(20, 40, LONG), new Answers(19, 0, 19, 1))).isInstanceOf(Keep.class);
        assertThat(next(new AdaptiveLimit("mail", 20, 40, 1, LONG, Duration.ZERO, 20, false), WELL))
                .isInstanceOf(Keep.class);
    }

    @Test
    void callsThatTakeLongerKeepItFromGrowingAndThenLowerIt() {
        assertThat(next(limit(20, 40, LONG), new Answers(100, 0, 100, 2))).isInstanceOf(Keep.class);
        assertThat(next(limit(20, 40, LONG), new Answers(100, 0, 100, 3))).isEqualTo(new Change(19, 20, true));
    }

    @Test
    void slowCallsOfBeforeDoNotLowerItWhileNoneAreMade() {
        var unused = new AdaptiveLimit("mail", 20, 40, 1, LONG, LONG, 0, false);

        assertThat(next(unused, new Answers(0, 0, 100, 3))).isInstanceOf(End.class);
    }

    @Test
    void itEndsWhenHalfOfItIsNotUsedAndNothingWasRefusedForAMinute() {
        assertThat(next(new AdaptiveLimit("mail", 20, 21, 1, LONG, LONG, 10, false), WELL))
                .isInstanceOf(End.class);
        assertThat(next(new AdaptiveLimit("mail", 20, 21, 1, LONG, Duration.ofSeconds(59), 10, false), WELL))
                .isInstanceOf(Keep.class);
        assertThat(next(new AdaptiveLimit("mail", 20, 21, 1, LONG, LONG, 11, false), WELL))
                .isInstanceOf(Keep.class);
    }

    @Test
    void aLimitThatNothingReachesEnds() {
        assertThat(next(limit(600, null, LONG), WELL)).isInstanceOf(End.class);
    }

    /** A receiver that takes some calls at once for 50 ms, and refuses more within 10 ms. */
    private static final class SimulatedReceiver {
        private static final int STEP_MS = 100;

        private AdaptiveLimit limit;
        private int lately;
        private int refusedLately;
        private int all;
        private int taken;
        private int refused;

        SimulatedReceiver(int first) {
            limit = limit(first, 2 * first, Duration.ZERO);
        }

        void run(int capacity, int seconds) {
            taken = 0;
            refused = 0;
            for (var step = 0; step < seconds * 1_000 / STEP_MS; step++) {
                var now = Math.min(capacity, limit.limit()) * STEP_MS / 50;
                var refusals = Math.max(0, limit.limit() - capacity) * STEP_MS / 10;
                taken += now;
                refused += refusals;
                all += now + refusals;
                // A second, as it is counted, is forgotten at once.
                lately = step % 10 == 0 ? now + refusals : lately + now + refusals;
                refusedLately = step % 10 == 0 ? refusals : refusedLately + refusals;
                apply(next(limit, new Answers(lately, refusedLately, all, 1)));
            }
        }

        private void apply(Decision decision) {
            var step = Duration.ofMillis(STEP_MS);
            if (decision instanceof Change(var next, var ceiling, var isRefused)) {
                limit = new AdaptiveLimit(
                        "mail",
                        next,
                        ceiling,
                        1,
                        step,
                        isRefused ? step : later(limit.sinceRefusal(), step),
                        next,
                        true);
                lately = 0;
                refusedLately = 0;
                all = 0;
            } else {
                limit = new AdaptiveLimit(
                        "mail",
                        limit.limit(),
                        limit.ceiling(),
                        1,
                        limit.sinceChange().plus(step),
                        later(limit.sinceRefusal(), step),
                        limit.limit(),
                        true);
            }
        }

        private static @Nullable Duration later(@Nullable Duration time, Duration step) {
            return time == null ? null : time.plus(step);
        }
    }

    @Test
    void itFindsWhatAReceiverTakesAndHardlyAnythingIsRefusedThen() {
        var receiver = new SimulatedReceiver(128);
        receiver.run(20, 10);

        receiver.run(20, 60);

        assertThat(receiver.refused).isLessThan((receiver.taken + receiver.refused) * 2 / 100);
        assertThat(receiver.taken).isGreaterThan(20 * 20 * 60 * 95 / 100);
    }

    @Test
    void aReceiverThatTakesMoreThanBeforeGetsMore() {
        var receiver = new SimulatedReceiver(128);
        receiver.run(20, 30);

        receiver.run(200, 60);
        receiver.run(200, 10);

        assertThat(receiver.taken).isGreaterThan(200 * 20 * 10 * 80 / 100);
    }
}
