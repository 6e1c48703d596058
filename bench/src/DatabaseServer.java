import io.taskexec.embedded.EmbeddedDatabase;
import java.nio.file.Path;
import java.sql.SQLException;

/** The PostgreSQL that every side of a run works on: durable commits, and a counter of what is executed. */
final class DatabaseServer implements AutoCloseable {
    private static final String VACUUMS =
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'";

    private static final int VACUUM_SECONDS_MAX = 300;

    private final EmbeddedDatabase server;
    private final Path directory;

    private DatabaseServer(EmbeddedDatabase server, Path directory) {
        this.server = server;
        this.directory = directory;
    }

    static DatabaseServer start(Path directory) throws SQLException {
        // The library that counts can be loaded at the start of a server only, so the first start is for asking for it.
        try (EmbeddedDatabase first = EmbeddedDatabase.start(directory)) {
            var database = new Database(first.url());
            database.execute("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'");
            // A checkpoint of its own would come in the middle of one side's drain and make it pay for full pages
            // again.
            database.execute("ALTER SYSTEM SET max_wal_size = '8GB'");
            database.execute("ALTER SYSTEM SET checkpoint_timeout = '1h'");
        }
        var server = new DatabaseServer(EmbeddedDatabase.start(directory), directory);
        Runtime.getRuntime().addShutdownHook(new Thread(server.server::close));
        server.maintenance().execute("CREATE EXTENSION pg_stat_statements");
        return server;
    }

    /** An empty database of its own for one of the sides. */
    Database create(String name) throws SQLException {
        maintenance().execute("CREATE DATABASE " + name);
        return new Database(server.url().replaceAll("/postgres$", "/" + name));
    }

    /** Takes it away, whoever still uses it. */
    void drop(Database database) throws SQLException {
        maintenance().execute("DROP DATABASE " + database.name() + " WITH (FORCE)");
    }

    /**
     * Has what was done before be over: a vacuum that the server begins by itself some time later, and what pages of the past
     * cost to be written once more, would count for what is measured then.
     */
    void settle(Database database) throws SQLException, InterruptedException {
        database.execute("VACUUM (ANALYZE)");
        // Other sides' databases may have one that has begun.
        maintenance().awaitNone(VACUUMS, VACUUM_SECONDS_MAX);
        maintenance().execute("CHECKPOINT");
    }

    /** The database that none of the sides has, so that what is asked there does not count. */
    Database maintenance() {
        return new Database(server.url());
    }

    Path directory() {
        return directory;
    }

    @Override
    public void close() {
        server.close();
    }
}
