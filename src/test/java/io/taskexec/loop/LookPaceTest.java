package io.taskexec.loop;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LookPaceTest {
    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final int PAUSES = 20;

    private static Duration pauseAfter(Duration taken) {
        return await(
                LookPace.look(Uni.createFrom().voidItem().onItem().delayIt().by(taken), LEAST, PAUSES));
    }

    @Test
    void aShortLookComesAgainAfterTheUsualTime() {
        assertThat(await(LookPace.look(Uni.createFrom().voidItem(), LEAST, PAUSES)))
                .isEqualTo(LEAST);
    }

    @Test
    void aLongLookTakesATwentiethOfTheTime() {
        assertThat(pauseAfter(Duration.ofMillis(200))).isGreaterThanOrEqualTo(Duration.ofSeconds(4));
    }
}
