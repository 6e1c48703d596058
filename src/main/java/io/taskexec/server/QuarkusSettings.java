package io.taskexec.server;

import io.taskexec.api.connection.ConnectionConfig;
import io.taskexec.config.Address;
import io.taskexec.config.DatabaseUrl;
import io.taskexec.config.ServerConfig;
import io.taskexec.config.ServerConfig.LogFormat;
import io.taskexec.config.ServerConfig.LogLevel;
import io.taskexec.observe.log.VisibleLog;
import io.taskexec.store.sql.Dialect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The settings of Quarkus that follow from ours. */
final class QuarkusSettings {
    private static final String MIGRATION_LOG = "org.flywaydb.core.internal.sqlscript.DefaultSqlScriptExecutor";

    /**
     * The warning 01007 of {@code GRANT USAGE ON SCHEMA public TO taskexec_api} in a migration, where the role that
     * migrates does not own the schema. An administrator has granted it before, or the function says what follows.
     */
    private static final String NOTHING_GRANTED = "DB: no privileges were granted for";

    private final Map<String, String> values = new HashMap<>();
    private final List<Address> ports = new ArrayList<>();

    Map<String, String> values() {
        return values;
    }

    void log(ServerConfig server) {
        var level = server.logLevel();
        // The debug lines of libraries may contain secrets.
        var ofLibraries = level == LogLevel.DEBUG ? LogLevel.INFO : level;
        set("quarkus.log.level", ofLibraries);
        set("quarkus.log.category.\"io.taskexec\".level", level);
        // Categories of libraries have levels of their own, which must not let through what is not wanted.
        set("quarkus.log.console.level", level);
        set("quarkus.log.console.json.enabled", server.logFormat() == LogFormat.JSON);
        set("quarkus.log.console.filter", VisibleLog.NAME);
        // What matches is logged at DEBUG.
        set("quarkus.log.filter.\"" + MIGRATION_LOG + "\".if-starts-with", NOTHING_GRANTED);
    }

    void connect(DatabaseUrl database, Dialect dialect, int poolSize) {
        values.putAll(database.asProperties());
        values.putAll(sessions(dialect.sessions()));
        set(Dialect.PROPERTY, dialect);
        set("quarkus.datasource.reactive.max-size", poolSize);
        // Work goes on in the thread that a result arrives in: with one thread for all connections, one core does it
        // all.
        set("quarkus.datasource.reactive.event-loop-size", Runtime.getRuntime().availableProcessors());
    }

    /** What each connection is told, as properties. */
    static Map<String, String> sessions(Map<String, String> session) {
        return session.entrySet().stream()
                .collect(Collectors.toMap(
                        one -> "quarkus.datasource.reactive.additional-properties." + one.getKey(),
                        Map.Entry::getValue));
    }

    /** @param prefix names a server of Quarkus */
    void listen(String prefix, Address address) {
        address.checkFree();
        ports.add(address);
        set(prefix + ".host-enabled", true);
        set(prefix + ".host", address.host());
        set(prefix + ".port", address.port());
    }

    void listenNowhere(String prefix) {
        set(prefix + ".host-enabled", false);
    }

    /** Throws for the first port that was free and is not any more. */
    void checkPorts() {
        ports.forEach(Address::checkFree);
    }

    void limitConnections(ConnectionConfig connections) {
        for (var prefix : List.of(Server.API, Server.MANAGEMENT)) {
            set(prefix + ".idle-timeout", connections.idleTimeoutSec() + "S");
        }
    }

    private void set(String property, Object value) {
        values.put(property, value.toString());
    }
}
