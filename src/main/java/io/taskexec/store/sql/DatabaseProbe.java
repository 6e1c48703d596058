package io.taskexec.store.sql;

import java.net.UnknownHostException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Asks a database whether it can be used at all, before anything else is started. */
public final class DatabaseProbe {
    /** Not reached, broken off or refused by a pooler, still or no longer there, too many connections. */
    private static final List<String> PASSING = List.of("08", "57P", "53");

    /** A server that cannot do what the URL demands, such as TLS, or wants a password where there is none. */
    private static final String REFUSED_BY_DRIVER = "08004";

    private DatabaseProbe() {}

    /**
     * The result of a probe.
     *
     * @param fault why no connection can be made, null when one can
     * @param mayPass whether the same may work later
     * @param dialect what kind of database it is; PostgreSQL when no connection can be made
     * @param warning a fault of this version of the database, null for none
     */
    public record Found(
            @Nullable String fault,
            boolean mayPass,
            Dialect dialect,
            @Nullable String warning) {}

    /**
     * Connects once; the login takes no longer than {@code time}, in whole seconds, and neither does what is asked
     * then.
     */
    public static Found look(String jdbcUrl, String user, String password, Duration time) {
        var properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        var seconds = Long.toString(time.toSeconds());
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("loginTimeout", seconds);
        properties.setProperty("socketTimeout", seconds);
        try (var connection = DriverManager.getConnection(jdbcUrl, properties)) {
            var server = connection.getMetaData();
            return new Found(
                    null,
                    false,
                    Dialect.of(connection),
                    warning(server.getDatabaseMajorVersion(), server.getDatabaseMinorVersion()));
        } catch (SQLException e) {
            return new Found(reason(e), mayPass(e), Dialect.POSTGRESQL, null);
        }
    }

    /**
     * These versions find a row no more that they join with a list and that another transaction has changed since they
     * looked: they leave it as it is, where all others look again and change it.
     */
    static @Nullable String warning(int major, int minor) {
        return major == 18 && minor < 2
                ? ("PostgreSQL %d.%d may pass over rows that two transactions change at the same time, so that changes"
                                + " are lost. Update it to 18.2 or newer.")
                        .formatted(major, minor)
                : null;
    }

    static boolean mayPass(SQLException failure) {
        var state = failure.getSQLState();
        return state != null && PASSING.stream().anyMatch(state::startsWith) && !REFUSED_BY_DRIVER.equals(state);
    }

    /** What a failure of the driver says, in one line. */
    public static String reason(SQLException failure) {
        if (failure.getCause() instanceof UnknownHostException unknown) {
            return "the host '%s' is not known".formatted(unknown.getMessage());
        }
        // Behind the first line the driver tells where in the server's sources the error arose.
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("it gives no reason");
    }
}
