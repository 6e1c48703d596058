package io.taskexec.client.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LoopTest {
    @Test
    void aRefusalThatLastsIsLoggedAboutOnceAMinute() {
        assertThat(Loop.isToBeLogged(1, Duration.ZERO)).isTrue();
        assertThat(Loop.isToBeLogged(2, Duration.ofSeconds(59))).isFalse();
        assertThat(Loop.isToBeLogged(30, Duration.ofSeconds(61))).isTrue();
    }
}
