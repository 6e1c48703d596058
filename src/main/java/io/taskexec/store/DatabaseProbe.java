package io.taskexec.store;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Asks a database whether it can be used at all, before anything else is started. */
public final class DatabaseProbe {
    private static final String TIMEOUT_SEC = "5";

    private DatabaseProbe() {}

    /**
     * What was found out.
     *
     * @param fault why no connection can be made, null when one can
     * @param sessions what is to be set for each connection to a database of this kind
     */
    public record Found(@Nullable String fault, Map<String, String> sessions) {}

    /** Connects once. */
    public static Found look(String jdbcUrl, String user, String password) {
        var properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("connectTimeout", TIMEOUT_SEC);
        properties.setProperty("loginTimeout", TIMEOUT_SEC);
        try (var connection = DriverManager.getConnection(jdbcUrl, properties)) {
            return new Found(null, Dialect.of(connection).sessions());
        } catch (SQLException e) {
            // Behind the first line the driver tells where in the server's sources the error arose.
            var reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("it gives no reason");
            return new Found(reason, Map.of());
        }
    }
}
