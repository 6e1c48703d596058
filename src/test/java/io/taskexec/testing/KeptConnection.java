package io.taskexec.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the connection of a JVM's tests to the database that they looked at last: those who wait look so often that a
 * connection for each look would keep a processor busy.
 */
final class KeptConnection {
    private static final int ANSWER_SEC = 5;
    private static final ReentrantLock LOCK = new ReentrantLock();

    private static String database = "";
    private static @Nullable Connection kept;

    private KeptConnection() {}

    /** A use of a statement, which may not be used afterwards. */
    interface Use<T> {
        T of(Statement statement) throws SQLException;
    }

    /** Uses a statement on a database; who comes while another thread does gets a connection of its own. */
    static <T> T use(String url, Use<T> use) throws SQLException {
        if (!LOCK.tryLock()) {
            try (var connection = LiveServer.connect(url)) {
                return on(connection, use);
            }
        }
        try {
            return on(keep(url), use);
        } finally {
            LOCK.unlock();
        }
    }

    private static <T> T on(Connection connection, Use<T> use) throws SQLException {
        try (var statement = connection.createStatement()) {
            return use.of(statement);
        }
    }

    private static Connection keep(String url) throws SQLException {
        var last = kept;
        if (last != null) {
            if (database.equals(url) && last.isValid(ANSWER_SEC)) {
                return last;
            }
            kept = null;
            last.close();
        }
        var next = LiveServer.connect(url);
        database = url;
        kept = next;
        return next;
    }
}
