package io.taskexec.store;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Settings of the connections to the database. */
@ConfigMapping(prefix = "te")
public interface DatabaseConfig {
    /** TE_DB_STATEMENT_TIMEOUT_MS: how long a statement may take, in milliseconds. */
    @WithDefault("5000")
    int dbStatementTimeoutMs();

    default Duration dbStatementTimeout() {
        return Duration.ofMillis(dbStatementTimeoutMs());
    }
}
