import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** One session in the program's database, for what would take too long through the API: years of history. */
final class ProgramDatabase implements AutoCloseable {
    private final Connection connection;

    private ProgramDatabase(Connection connection) {
        this.connection = connection;
    }

    static ProgramDatabase open(Session session) throws SQLException {
        return new ProgramDatabase(session.database().orElseThrow().connect());
    }

    /** Runs statements that give nothing. */
    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            var _ = statement.execute(sql);
        }
    }

    /** The one number that a query gives. */
    long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
