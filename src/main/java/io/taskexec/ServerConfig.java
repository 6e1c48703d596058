package io.taskexec;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Settings of the process as a whole. */
@ConfigMapping(prefix = "te")
public interface ServerConfig {
    /** TE_ROLES: which roles this process has. */
    @WithDefault("api,worker,scheduler")
    List<Role> roles();

    /** TE_DATABASE_URL or TE_DATABASE_URL_FILE: {@code postgresql://user:password@host:port/db?...}. */
    Optional<String> databaseUrl();

    /** TE_DB_POOL_SIZE: connections to the database. */
    @WithDefault("10")
    int dbPoolSize();

    /** TE_MIGRATE_AT_START: whether the schema is brought up to date before anything else. */
    @WithDefault("false")
    Switch migrateAtStart();

    /** A boolean that is written as one: the usual conversion takes every word that it does not know for false. */
    enum Switch {
        TRUE,
        FALSE
    }

    /** TE_LISTEN_ADDR: where the API listens. */
    @WithDefault("0.0.0.0:8080")
    String listenAddr();

    /** TE_MANAGEMENT_ADDR: where health and metrics listen, whatever the roles. */
    @WithDefault("0.0.0.0:9000")
    String managementAddr();

    /** TE_LOG_FORMAT: whether each line of the log is a JSON object, for programs, or a text, for people. */
    @WithDefault("json")
    LogFormat logFormat();

    /** How the log is written. */
    enum LogFormat {
        JSON,
        TEXT
    }

    /** TE_LOG_LEVEL: what is less than this is not logged; of libraries, nothing below INFO is. */
    @WithDefault("info")
    LogLevel logLevel();

    /** How much a line of the log matters. */
    enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG
    }

    /**
     * TE_HEALTH_STALL_SEC: how long what a role does over and over may be stuck before the process is no longer live, and
     * may fail before it is no longer well, in seconds.
     */
    @WithDefault("60")
    int healthStallSec();

    default Duration healthStall() {
        return Duration.ofSeconds(healthStallSec());
    }

    /** TE_SECRET_ENCRYPTION_KEY or TE_SECRET_ENCRYPTION_KEY_FILE: {@code id:base64[,id:base64...]}, the first encrypts. */
    Optional<String> secretEncryptionKey();

    /**
     * TE_EXPORT_KEY or TE_EXPORT_KEY_FILE: {@code id:base64}, what secrets are encrypted with in what {@code export}
     * writes and {@code import} reads; servers have no use for it.
     */
    Optional<String> exportKey();
}
