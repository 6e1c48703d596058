package io.taskexec.testing;

import io.taskexec.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A fresh, empty database for programs under test, on one PostgreSQL server that all tests of a JVM share. */
public final class ServerDb {
    /**
     * Removes all that clients have created, also while a program runs: first the rows that would create more. Versions
     * of endpoints and configs stay, since a program keeps them in memory.
     */
    private static final List<String> CLEARING = List.of(
            "DELETE FROM schedules",
            "DELETE FROM exec_live",
            "DELETE FROM executions",
            "DELETE FROM attempts",
            "DELETE FROM execution_logs",
            "DELETE FROM replays",
            "DELETE FROM deferrals",
            "DELETE FROM execution_progress",
            "DELETE FROM approvals",
            "DELETE FROM job_edges",
            "DELETE FROM ended_parents",
            "DELETE FROM workflow_runs",
            "DELETE FROM workflow_nodes",
            "DELETE FROM operations",
            "DELETE FROM ticks",
            "DELETE FROM pauses",
            "DELETE FROM job_stats",
            "DELETE FROM job_tags",
            "DELETE FROM idempotency_keys",
            "DELETE FROM jobs",
            "DELETE FROM event_outbox",
            "DELETE FROM event_log",
            // Readers of the log are told that these are gone; a log with a gap would only end their streams.
            "UPDATE event_positions SET position = (SELECT position FROM event_positions WHERE name = 'log')"
                    + " WHERE name = 'removed'",
            "UPDATE endpoints SET on_success_ref = NULL, on_failure_ref = NULL",
            "DELETE FROM endpoints WHERE name <> '_workflow'",
            "DELETE FROM flow_policies",
            "DELETE FROM flow_limits",
            "DELETE FROM flow_requests",
            "DELETE FROM endpoint_events",
            "DELETE FROM payload_specs",
            "DELETE FROM configs",
            "DELETE FROM secrets",
            "DELETE FROM api_keys",
            // Its rows are kept from everybody who deletes them.
            "TRUNCATE audit_log");

    private final String url;

    /** The server: started with the first database, stopped with the JVM. */
    private static final class Server {
        static final String URL = start();

        private static String start() {
            var live = LiveServer.url();
            if (live != null) {
                return live;
            }
            var home = TestFiles.directory("programs-database");
            var server = EmbeddedDatabase.start(home);
            Runtime.getRuntime().addShutdownHook(new Thread(server::close, "close-programs-database"));
            setUp(home.resolve("postgres").resolve("pg_hba.conf"), server.url());
            return server.url();
        }

        /**
         * The 4,096 hashes of a login by SCRAM take a program that has just started longer than all else of it, and the
         * database waits for a second before it looks for a deadlock.
         */
        private static void setUp(Path logins, String url) {
            try (var connection = LiveServer.connect(url);
                    var statement = connection.createStatement()) {
                var password = URI.create(url).getUserInfo().split(":", 2)[1];
                var _ = statement.execute("SET password_encryption = 'md5'");
                var _ = statement.execute("ALTER ROLE CURRENT_USER PASSWORD '" + password + "'");
                var _ = Files.writeString(logins, Files.readString(logins).replace("scram-sha-256", "md5"));
                var _ = statement.execute("ALTER SYSTEM SET deadlock_timeout = '20ms'");
                var _ = statement.execute("SELECT pg_reload_conf()");
                Eventually.await("logins by MD5", TestDb.PATIENCE, () -> isOpen(url));
            } catch (SQLException | InterruptedException e) {
                throw new IllegalStateException(e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static boolean isOpen(String url) {
            try (var _ = LiveServer.connect(url)) {
                return true;
            } catch (SQLException _) {
                return false;
            }
        }
    }

    private ServerDb(String url) {
        this.url = url;
    }

    /** An empty database of its own for a test class. */
    public static ServerDb fresh(Class<?> test) {
        return fresh(test.getSimpleName());
    }

    static ServerDb fresh(String database) {
        var name = LiveServer.name(database.toLowerCase(Locale.ROOT));
        var server = new ServerDb(Server.URL);
        server.drop(name);
        server.execute("CREATE DATABASE " + name);
        LiveServer.dropAtEnd(name);
        server.isolate(name);
        return new ServerDb(LiveServer.at(Server.URL, name));
    }

    /** The same, with its schema up to date, which belongs to one role, for a program that has another one. */
    public ServerDb forRoleOfServers() {
        if (LiveServer.isUsed()) {
            return this;
        }
        var address = URI.create(url);
        var user = address.getUserInfo().split(":", 2);
        DatabaseRoles.migrate(LiveServer.jdbc(address), user[0], user[1]);
        return new ServerDb(url.replaceFirst("//[^:]*:", "//" + DatabaseRoles.SERVERS + ":"));
    }

    /** The same without a schema, for a program that migrates it with the role that is to own the schema. */
    public ServerDb forRoleOfOwner() {
        var address = URI.create(url);
        var user = address.getUserInfo().split(":", 2);
        DatabaseRoles.create(LiveServer.jdbc(address), user[0], user[1]);
        return new ServerDb(url.replaceFirst("//[^:]*:", "//" + DatabaseRoles.OWNER + ":"));
    }

    /** The database at this address, on a server that the test has started itself. */
    public static ServerDb at(String url) {
        var database = new ServerDb(url);
        database.isolate(url.substring(url.lastIndexOf('/') + 1));
        return database;
    }

    private void isolate(String name) {
        execute("ALTER DATABASE %s SET default_transaction_isolation = '%s'".formatted(name, TestDb.ISOLATION));
    }

    /** As {@code TE_DATABASE_URL} wants it, with the password. */
    public String url() {
        return url;
    }

    /** The same for somebody with another password. */
    public String urlWithPassword(String password) {
        return url.replaceFirst(":[^:@]*@", ":" + password + "@");
    }

    /** Removes all that a program made in it at an earlier run. */
    public void empty() {
        execute("DROP SCHEMA public CASCADE");
        execute("DROP SCHEMA IF EXISTS taskexec_api CASCADE");
        execute("CREATE SCHEMA public");
    }

    /** Runs a statement. */
    public void execute(String sql) {
        try {
            var _ = KeptConnection.use(url, statement -> statement.execute(sql));
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Removes what clients of the program have created. */
    void clear() {
        CLEARING.forEach(this::execute);
    }

    /** As if a newer program had been here: its history has a migration that this one does not know. */
    public void pretendNewerSchema() {
        execute("INSERT INTO flyway_schema_history SELECT installed_rank + 100, '999', 'later', type,"
                + " 'V999__later.sql', checksum, installed_by, installed_on, execution_time, success"
                + " FROM flyway_schema_history WHERE version = '1'");
    }

    /** As if a program from before the first release had made the schema: by more migrations, with other contents. */
    public void pretendDevelopmentSchema() {
        pretendNewerSchema();
        execute("UPDATE flyway_schema_history SET checksum = 0 WHERE version = '1'");
    }

    /** The first column of every row, as text. */
    public List<String> texts(String sql) {
        try {
            return KeptConnection.use(url, statement -> texts(statement.executeQuery(sql)));
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static List<String> texts(ResultSet rows) throws SQLException {
        var texts = new ArrayList<String>();
        while (rows.next()) {
            texts.add(String.valueOf(rows.getString(1)));
        }
        return texts;
    }

    /** The one number that a query gives. */
    public long number(String sql) {
        return Long.parseLong(texts(sql).getFirst());
    }

    private void drop(String name) {
        try (var connection = connect();
                var statement = connection.createStatement()) {
            var _ = statement.execute(LiveServer.dropping(connection, name));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A connection with all rights, to be closed by the test. */
    public Connection connect() throws SQLException {
        return LiveServer.connect(url);
    }
}
