package io.taskexec.worker;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Settings of the circuit breakers of endpoints. */
@ConfigMapping(prefix = "te.breaker")
public interface BreakerConfig {
    /** How long a breaker opens at most, however often it has opened. */
    Duration LONGEST = Duration.ofMinutes(10);

    /** TE_BREAKER_FAILURE_PERCENT: a breaker opens when so many of the attempts failed; 0 for never. */
    @WithDefault("50")
    int failurePercent();

    /** TE_BREAKER_MIN_ATTEMPTS: with fewer attempts in the window nothing is concluded. */
    @WithDefault("20")
    int minAttempts();

    /** TE_BREAKER_WINDOW_SEC: attempts that ended within so many seconds count. */
    @WithDefault("30")
    int windowSec();

    /** TE_BREAKER_OPEN_SEC: how long a breaker opens at first, in seconds. */
    @WithDefault("30")
    int openSec();

    default Duration open() {
        return Duration.ofSeconds(openSec());
    }
}
