package io.taskexec.testing;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** JDBC to the databases of tests, for what is not done over the pool. */
public final class Jdbc {
    private Jdbc() {}

    /** A connection of its own, to be closed by the test. */
    public static Connection to(TestDb db) throws SQLException {
        return source(db).getConnection();
    }

    /** Makes connections. */
    public static DataSource source(TestDb db) {
        return source(db, "");
    }

    /**
     * Makes connections of another kind.
     *
     * @param options of the driver, as a query has them
     */
    public static DataSource source(TestDb db, String options) {
        var server = db.server();
        var url = "jdbc:postgresql://" + server.getHost() + ":" + server.getPort() + "/" + server.getDatabase() + "?"
                + options;
        return Flyway.configure()
                .dataSource(url, server.getUser(), server.getPassword())
                .getDataSource();
    }
}
