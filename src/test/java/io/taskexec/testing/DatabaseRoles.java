package io.taskexec.testing;

import io.taskexec.store.migration.Migrations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.flywaydb.core.Flyway;

/** The roles of production, by the script that makes them there, and a schema that belongs to one of them. */
final class DatabaseRoles {
    /** Changes the schema. */
    static final String OWNER = "taskexec_owner";

    /** Reads and writes rows. */
    static final String SERVERS = "taskexec";

    private static final Path SCRIPT = Path.of("deploy/postgresql/roles.sql");
    private static final Pattern CREATION = Pattern.compile("^CREATE ROLE (\\w+).*;$", Pattern.MULTILINE);

    private DatabaseRoles() {}

    /** Makes both in this empty database, with the password of the one who does it, and has the owner migrate it. */
    static void migrate(String jdbc, String user, String password) {
        create(jdbc, user, password);
        Flyway.configure()
                .dataSource(jdbc, OWNER, password)
                .locations("classpath:db/migration/common", "classpath:db/migration/postgresql")
                .configuration(Migrations.SETTINGS)
                .load()
                .migrate();
    }

    /** Makes both, and migrates nothing. */
    static void create(String jdbc, String user, String password) {
        try (var connection = DriverManager.getConnection(jdbc, user, password);
                var statement = connection.createStatement()) {
            var script = Files.readString(SCRIPT);
            // Roles are those of a whole server, on which there may have been such a database before.
            var known = known(connection);
            var _ = statement.execute(CREATION.matcher(script)
                    .replaceAll(creation -> known.contains(creation.group(1)) ? "" : creation.group()));
            for (var role : new String[] {OWNER, SERVERS}) {
                var _ = statement.execute("ALTER ROLE %s PASSWORD '%s'".formatted(role, password));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> known(Connection connection) throws SQLException {
        var names = new HashSet<String>();
        try (var statement = connection.createStatement();
                var found = statement.executeQuery("SELECT rolname FROM pg_roles")) {
            while (found.next()) {
                names.add(found.getString(1));
            }
        }
        return names;
    }
}
