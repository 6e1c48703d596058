package io.taskexec;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
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
            value = "Connections to the database; one more for wake-ups. Migrations take up to two more,"
                    + " while they run.",
            unit = "connections",
            min = 2,
            max = 1000)
    @WithDefault("10")
    int dbPoolSize();

    @Setting("Whether the schema is brought up to date at the start, as `taskexec migrate` does."
            + " Several processes may.")
    @WithDefault("false")
    Switch migrateAtStart();

    /** A boolean that is written as one: the usual conversion takes every word that it does not know for false. */
    enum Switch {
        TRUE,
        FALSE
    }

    @Setting(value = "Where the API listens.", form = "host:port")
    @WithDefault("0.0.0.0:8080")
    String listenAddr();

    @Setting(value = "Where health and metrics are, without a key. Open with any roles.", form = "host:port")
    @WithDefault("0.0.0.0:9000")
    String managementAddr();

    @Setting(
            value = "[Keys for the secrets](#keys-for-secrets).",
            otherwise = "none, required",
            file = true,
            shown = Setting.Shown.NOTHING)
    Optional<String> secretEncryptionKey();
}
