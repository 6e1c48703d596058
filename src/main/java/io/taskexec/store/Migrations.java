package io.taskexec.store;

import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.configuration.Configuration;
import org.flywaydb.core.api.resource.LoadableResource;

/**
 * Brings the schema up to date; several processes may do so at once. There is a common set of migrations and one for each
 * kind of database, of which only the one for the database that is there is looked at.
 */
@Singleton
public final class Migrations {
    private final Flyway configured;

    /** @param configured knows the data source and every migration of the build */
    Migrations(Flyway configured) {
        this.configured = configured;
    }

    /** Applies what is missing; gives how many migrations that were. */
    public int run() {
        return forDialect().migrate().migrationsExecuted;
    }

    /** Whether something is missing. */
    public boolean pending() {
        return forDialect().info().pending().length > 0;
    }

    /** Whether a newer program has applied migrations that this one does not know. */
    public boolean ahead() {
        return Arrays.stream(forDialect().info().applied())
                .anyMatch(migration -> migration.getState() == MigrationState.FUTURE_SUCCESS);
    }

    private Flyway forDialect() {
        var configuration = configured.getConfiguration();
        var others = new WithoutOther(configuration.getResourceProvider(), otherDialect(configuration));
        return Flyway.configure()
                .configuration(configuration)
                .resourceProvider(others)
                .load();
    }

    private static String otherDialect(Configuration configuration) {
        try (var connection = configuration.getDataSource().getConnection();
                var statement = connection.createStatement();
                var version = statement.executeQuery("SELECT version()")) {
            return version.next() && version.getString(1).contains("CockroachDB") ? "/postgresql/" : "/cockroachdb/";
        } catch (SQLException e) {
            throw new IllegalStateException("the database does not say what it is", e);
        }
    }

    private record WithoutOther(ResourceProvider all, String other) implements ResourceProvider {
        @Override
        public LoadableResource getResource(String name) {
            return all.getResource(name);
        }

        @Override
        public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
            return all.getResources(prefix, suffixes).stream()
                    .filter(resource -> !resource.getAbsolutePath().contains(other))
                    .toList();
        }
    }
}
