package io.taskexec.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CompletionRateTest {
    private static final long SPAN = CompletionRate.SPAN.toNanos();

    private final CompletionRate pace = new CompletionRate(0);

    @Test
    void itCountsThePresentSpanUntilTheLastOneHadMore() {
        end(3, 10);
        assertThat(pace.ended(20)).isEqualTo(3);

        end(1, SPAN + 1);
        assertThat(pace.ended(SPAN + 2)).isEqualTo(3);

        end(5, SPAN + 3);
        assertThat(pace.ended(SPAN + 4)).isEqualTo(6);
    }

    @Test
    void whatEndedLongAgoIsForgotten() {
        end(3, 10);
        assertThat(pace.ended(3 * SPAN)).isZero();
    }

    private void end(int count, long now) {
        for (var i = 0; i < count; i++) {
            pace.end(now);
        }
    }
}
