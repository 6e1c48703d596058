package io.taskexec.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import io.taskexec.model.Switch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Settings of the process as a whole. */
@ConfigMapping(prefix = "te")
public interface ServerConfig {
    @Setting("What this process does. Without `api`, no API port is opened.")
    @WithDefault("api,worker,scheduler")
    List<Role> roles();

    @Setting(
            value = "[Where the database is](#the-database).",
            otherwise = "none, required",
            file = true,
            shown = Setting.Shown.WITHOUT_PASSWORD)
    Optional<String> databaseUrl();

    @Setting(
            value = "How long `serve` and `migrate` wait at the start for a database that cannot be reached yet, or"
                    + " has no"
                    + " connection free. What time does not change, such as a wrong password, ends them at"
                    + " once.",
            unit = "s",
            min = 0,
            max = 3600)
    @WithDefault("60")
    int databaseStartTimeoutSec();

    @Setting(
            value = "Connections to the database; one more for wake-ups. Migrations take up to two more,"
                    + " while they run.",
            unit = "connections",
            min = 2,
            max = 1000,
            otherwise = "10, or 2 with the role `worker` alone")
    Optional<Integer> dbPoolSize();

    @Setting("Whether the schema is brought up to date at the start, as `taskexec migrate` does."
            + " Several processes may.")
    @WithDefault("false")
    Switch migrateAtStart();

    @Setting(value = "Where the API listens.", form = "host:port")
    @WithDefault("0.0.0.0:8080")
    String listenAddr();

    @Setting(value = "Where health and metrics are, without a key. Open with any roles.", form = "host:port")
    @WithDefault("0.0.0.0:9000")
    String managementAddr();

    @Setting(
            "Whether each line of the [log](operations.md#logs) is a JSON object, for programs, or a text, for people.")
    @WithDefault("json")
    LogFormat logFormat();

    /** The format of the log. */
    enum LogFormat {
        JSON,
        TEXT
    }

    @Setting("What is less than this is not logged; of libraries, nothing below `info` is.")
    @WithDefault("info")
    LogLevel logLevel();

    /** The level of a line of the log. */
    enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG
    }

    @Setting(
            value = "How long a loop of a role may be stuck before the process is no longer"
                    + " [live](operations.md#health), and may fail before the group `progress` fails; at least six"
                    + " times what a statement may take (`TE_DB_STATEMENT_TIMEOUT_MS` and 2 s more).",
            unit = "s",
            min = 10,
            max = 3600)
    @WithDefault("60")
    int healthStallSec();

    default Duration databaseStartTimeout() {
        return Duration.ofSeconds(databaseStartTimeoutSec());
    }

    default Duration healthStall() {
        return Duration.ofSeconds(healthStallSec());
    }

    @Setting(
            value = "[Keys for the secrets](#keys-for-secrets).",
            otherwise = "none, required",
            file = true,
            shown = Setting.Shown.NOTHING)
    Optional<String> secretEncryptionKey();
}
