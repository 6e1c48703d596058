package io.taskexec.worker.breaker;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.time.Duration;

/** Settings of the circuit breakers of endpoints. */
@ConfigMapping(prefix = "te.breaker")
public interface BreakerConfig {
    /** The longest time that a breaker stays open, in seconds. */
    long LONGEST_SEC = 600;

    /** The same. */
    Duration LONGEST = Duration.ofSeconds(LONGEST_SEC);

    @Setting(
            value = "An endpoint's [breaker](delivery.md#circuit-breaker) opens when so many of"
                    + " its attempts failed; 0 means never.",
            unit = "%",
            min = 0,
            max = 100)
    @WithDefault("50")
    int failurePercent();

    @Setting(value = "With fewer attempts in the window the breaker stays closed.", min = 1, max = 1_000_000)
    @WithDefault("20")
    int minAttempts();

    @Setting(value = "Attempts that ended within this time count.", unit = "s", min = 1, max = 3600)
    @WithDefault("30")
    int windowSec();

    @Setting(
            value = "How long a breaker opens at first; twice as long with each time that it opens again, up"
                    + " to 10 minutes.",
            unit = "s",
            min = 1,
            max = LONGEST_SEC)
    @WithDefault("30")
    int openSec();

    default Duration open() {
        return Duration.ofSeconds(openSec());
    }
}
