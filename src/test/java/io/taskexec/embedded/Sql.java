package io.taskexec.embedded;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Statements on an embedded database. */
final class Sql {
    private Sql() {}

    static void execute(EmbeddedDatabase database, String sql) {
        try (var connection = connect(database.url());
                var statement = connection.createStatement()) {
            var _ = statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static String query(EmbeddedDatabase database, String sql) {
        return query(database.url(), sql);
    }

    static String query(String url, String sql) {
        try (var connection = connect(url);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            if (!rows.next()) {
                throw new IllegalStateException("no row");
            }
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Connection connect(String url) throws SQLException {
        var parts = URI.create(url);
        var user = parts.getUserInfo().split(":", 2);
        var jdbc = "jdbc:postgresql://" + parts.getHost() + ":" + parts.getPort() + parts.getPath();
        return DriverManager.getConnection(jdbc, user[0], user[1]);
    }
}
