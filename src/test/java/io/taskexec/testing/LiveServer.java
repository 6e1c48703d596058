package io.taskexec.testing;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The server that {@code TE_TEST_DATABASE_URL} names, when it is set: tests run there instead of on a PostgreSQL that
 * they start. What they create begins with {@code taskexec_test_}, and is dropped when the JVM ends.
 */
final class LiveServer {
    private static final @Nullable String URL = System.getenv("TE_TEST_DATABASE_URL");

    /** Tells this run from others on the same server. */
    private static final String RUN =
            HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());

    private static final Set<String> CREATED = ConcurrentHashMap.newKeySet();

    static {
        if (URL != null) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> CREATED.forEach(LiveServer::drop), "drop-databases"));
        }
    }

    private LiveServer() {}

    /** Its address, null when tests are to start their own. */
    static @Nullable String url() {
        return URL == null || URL.isBlank() ? null : URL;
    }

    /** Whether it is set. */
    static boolean isUsed() {
        return url() != null;
    }

    /** The address of a database on a server. */
    static String at(String server, String database) {
        return server.replaceFirst("(//[^/]+/)[^?]*", "$1" + database);
    }

    /** A name for a database that no other run has. */
    static String name(String database) {
        return url() == null ? database : "taskexec_test_" + RUN + "_" + database;
    }

    /** Has a database dropped at the end, where it would stay. */
    static void dropAtEnd(String database) {
        if (url() != null) {
            CREATED.add(database);
        }
    }

    private static void drop(String database) {
        try (var connection = connect(String.valueOf(URL));
                var statement = connection.createStatement()) {
            var _ = statement.execute(dropping(connection, database));
        } catch (SQLException e) {
            System.err.println("The database " + database + " was not dropped: " + e.getMessage());
        }
    }

    /** Drops a database, whoever is connected to it. */
    static String dropping(Connection connection, String database) throws SQLException {
        return "DROP DATABASE IF EXISTS " + database + (isCockroach(connection) ? " CASCADE" : " WITH (FORCE)");
    }

    static boolean isCockroach(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var version = statement.executeQuery("SELECT version()")) {
            return version.next() && version.getString(1).contains("CockroachDB");
        }
    }

    static Connection connect(String url) throws SQLException {
        var parts = URI.create(url);
        var user = parts.getUserInfo().split(":", 2);
        return DriverManager.getConnection(jdbc(parts), user[0], user.length > 1 ? user[1] : "");
    }

    static String jdbc(URI url) {
        var query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        return "jdbc:postgresql://" + url.getHost() + ":" + url.getPort() + url.getPath() + query;
    }
}
