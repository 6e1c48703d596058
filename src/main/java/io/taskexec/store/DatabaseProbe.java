package io.taskexec.store;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Asks a database whether it can be used at all, before anything else is started. */
public final class DatabaseProbe {
    private static final String TIMEOUT_SEC = "5";

    private DatabaseProbe() {}

    /** Why no connection can be made, null when one can. */
    public static @Nullable String fault(String jdbcUrl, String user, String password) {
        var properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("connectTimeout", TIMEOUT_SEC);
        properties.setProperty("loginTimeout", TIMEOUT_SEC);
        try (var connection = DriverManager.getConnection(jdbcUrl, properties)) {
            return connection.isValid(0) ? null : "the connection is not valid";
        } catch (SQLException e) {
            // The driver adds where in PostgreSQL's own sources the error was raised.
            return String.valueOf(e.getMessage()).lines().findFirst().orElse("it gives no reason");
        }
    }
}
