import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.LongStream;

/**
 * One database of the run.
 *
 * @param url as TE_DATABASE_URL wants it, with the password
 */
record Database(String url) {
    Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl(), user(), password());
    }

    String jdbcUrl() {
        URI uri = URI.create(url);
        return "jdbc:postgresql://" + uri.getHost() + ":" + uri.getPort() + uri.getPath();
    }

    int port() {
        return URI.create(url).getPort();
    }

    String user() {
        return URI.create(url).getUserInfo().split(":", 2)[0];
    }

    String password() {
        return URI.create(url).getUserInfo().split(":", 2)[1];
    }

    String name() {
        return URI.create(url).getPath().substring(1);
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The one number that a query gives. */
    double number(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getDouble(1);
        }
    }

    /** The whole numbers that a query gives, one a row. */
    LongStream numbers(String sql) throws SQLException {
        var numbers = LongStream.builder();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers.build();
    }

    String text(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** Waits until a query that counts what is left gives 0, so that what arrived is also recorded. */
    void awaitNone(String sql, int secondsMax) throws SQLException, InterruptedException {
        for (int i = 0; number(sql) > 0; i++) {
            if (i == secondsMax * 10) {
                throw new IllegalStateException("After " + secondsMax + " s there is still something left: " + sql);
            }
            Thread.sleep(100);
        }
    }
}
