package io.taskexec.store;

import io.quarkus.flyway.FlywayConfigurationCustomizer;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/** Brings the schema up to date; several processes may do so at once. */
@Singleton
public final class Migrations {
    private final Flyway flyway;

    Migrations(Flyway flyway) {
        this.flyway = flyway;
    }

    /** Applies what is missing; gives how many migrations that were. */
    public int run() {
        return flyway.migrate().migrationsExecuted;
    }

    /** Whether something is missing. */
    public boolean pending() {
        return flyway.info().pending().length > 0;
    }

    /** The migrations for the kind of database that is there: a common set and what only one kind understands. */
    @Singleton
    static final class Dialect implements FlywayConfigurationCustomizer {
        @Override
        public void customize(FluentConfiguration configuration) {
            configuration.locations(locations(configuration));
        }

        private static String[] locations(FluentConfiguration configuration) {
            try (var connection = configuration.getDataSource().getConnection();
                    var statement = connection.createStatement();
                    var version = statement.executeQuery("SELECT version()")) {
                version.next();
                var kind = version.getString(1).contains("CockroachDB") ? "cockroachdb" : "postgresql";
                return new String[] {"db/migration/common", "db/migration/" + kind};
            } catch (SQLException e) {
                throw new IllegalStateException("the database does not say what it is", e);
            }
        }
    }
}
