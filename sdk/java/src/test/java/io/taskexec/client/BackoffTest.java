package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    void aPauseIsAsLongAsTheServerAsksButNotLongerThanAMinute() {
        assertThat(Backoff.after(1, Duration.ofSeconds(20))).isEqualTo(Duration.ofSeconds(20));
        assertThat(Backoff.after(1, Duration.ofDays(11))).isEqualTo(Duration.ofMinutes(1));
        assertThat(Backoff.after(9, Duration.ofMillis(1))).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
        assertThat(Backoff.after(1, null)).isBetween(Duration.ofMillis(100), Duration.ofMillis(200));
    }
}
