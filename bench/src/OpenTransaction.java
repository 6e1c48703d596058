import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A transaction that can see all rows that are there when it begins, so that no vacuum removes them while it is open. */
record OpenTransaction(Connection connection) implements AutoCloseable {
    static OpenTransaction begin(Database database) throws SQLException {
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT count(*) FROM exec_live");
        }
        return new OpenTransaction(connection);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
