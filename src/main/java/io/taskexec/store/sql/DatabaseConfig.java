package io.taskexec.store.sql;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import io.taskexec.model.Switch;
import java.time.Duration;

/** Settings of the connections to the database. */
@ConfigMapping(prefix = "te")
public interface DatabaseConfig {
    @Setting(
            value = "How long a statement may take, at most `TE_WORKER_SILENCE_SEC`. [Database"
                    + " trouble](internals.md#how-it-works) says what follows. Does not apply to migrations.",
            unit = "ms",
            min = 100,
            max = 60_000)
    @WithDefault("5000")
    int dbStatementTimeoutMs();

    @Setting("Whether processes wake each other, by LISTEN and NOTIFY on one connection beside the pool. Without, work"
            + " is found by polling.")
    @WithDefault("true")
    Switch wakeupsEnabled();

    default Duration dbStatementTimeout() {
        return Duration.ofMillis(dbStatementTimeoutMs());
    }
}
