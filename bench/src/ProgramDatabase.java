import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;

/** The program's own database, for what would take too long through the API: years of history. */
final class ProgramDatabase implements AutoCloseable {
    /** The line of PostgreSQL's own file that has the port. */
    private static final int PORT_LINE = 3;

    private final Connection connection;

    private ProgramDatabase(Connection connection) {
        this.connection = connection;
    }

    /** Opens the one in the data directory of a program that runs. */
    static ProgramDatabase in(Path dataDirectory) throws IOException, SQLException {
        List<String> server = Files.readAllLines(dataDirectory.resolve("postgres/postmaster.pid"));
        var login = new Properties();
        login.setProperty("user", "postgres");
        login.setProperty(
                "password",
                Files.readString(dataDirectory.resolve("postgres-password")).strip());
        login.setProperty("ApplicationName", "bench");
        String url = "jdbc:postgresql://127.0.0.1:" + server.get(PORT_LINE).strip() + "/postgres";
        return new ProgramDatabase(DriverManager.getConnection(url, login));
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
