package io.taskexec.store.sql;

import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.function.Supplier;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.configuration.Configuration;
import org.flywaydb.core.api.resource.LoadableResource;
import org.flywaydb.core.internal.exception.FlywayMigrateException;

/**
 * Brings the schema up to date; several processes may do so at once. There is a common set of migrations and one for
 * each dialect, of which only that of the connected database is used.
 */
@Singleton
public final class Migrations {
    /** A lock that is held by an open transaction would have CREATE INDEX CONCURRENTLY wait for ever. */
    public static final Map<String, String> SETTINGS = Map.of("flyway.postgresql.transactional.lock", "false");

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final String DEVELOPMENT_VERSION = "it is that of a development version of taskexec, which cannot be"
            + " upgraded: use an empty database, or another --data-dir for 'taskexec dev'";

    private final Flyway configured;

    /** @param configured knows the data source and every migration of the build */
    Migrations(Flyway configured) {
        this.configured = configured;
    }

    /** Applies what is missing; returns how many migrations that were. Throws {@link MigrationException}. */
    public int run() {
        return explained(() -> checked(forDialect()).migrate().migrationsExecuted);
    }

    /** Whether something is missing. Throws {@link MigrationException}. */
    public boolean pending() {
        return explained(() -> checked(forDialect()).info().pending().length > 0);
    }

    /** Whether a newer program has applied migrations that this one does not know. */
    public boolean ahead() {
        return Arrays.stream(forDialect().info().applied())
                .anyMatch(migration -> migration.getState() == MigrationState.FUTURE_SUCCESS);
    }

    /** The version of the schema that is there. */
    public String version() {
        var current = forDialect().info().current();
        return current == null ? "0" : current.getVersion().getVersion();
    }

    /** A released migration never changes, so one with another content was applied before the first release. */
    private static Flyway checked(Flyway flyway) {
        if (Arrays.stream(flyway.info().applied()).anyMatch(migration -> !migration.isChecksumMatching())) {
            throw new MigrationException(DEVELOPMENT_VERSION, null);
        }
        return flyway;
    }

    private static <T> T explained(Supplier<T> work) {
        try {
            return work.get();
        } catch (FlywayException e) {
            var reason = reason(e);
            throw new MigrationException(
                    e instanceof FlywayMigrateException in
                            ? "migration %s: %s".formatted(in.getMigration().getVersion(), reason)
                            : reason,
                    e);
        }
    }

    private static String reason(FlywayException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException e) {
                var reason = DatabaseProbe.reason(e);
                return INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())
                        ? reason + "; use the role that owns the schema"
                        : reason;
            }
        }
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("no reason is given");
    }

    private Flyway forDialect() {
        var configuration = configured.getConfiguration();
        var others = new WithoutOther(configuration.getResourceProvider(), dialect(configuration));
        return Flyway.configure()
                .configuration(configuration)
                .configuration(SETTINGS)
                .resourceProvider(others)
                // So that this program still starts after a newer one has been here. Quarkus has it refused.
                .ignoreMigrationPatterns("*:future")
                .load();
    }

    private static Dialect dialect(Configuration configuration) {
        try (var connection = configuration.getDataSource().getConnection()) {
            return Dialect.of(connection);
        } catch (SQLException e) {
            throw new MigrationException(DatabaseProbe.reason(e), e);
        }
    }

    private record WithoutOther(ResourceProvider all, Dialect dialect) implements ResourceProvider {
        @Override
        public LoadableResource getResource(String name) {
            return all.getResource(name);
        }

        @Override
        public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
            return all.getResources(prefix, suffixes).stream()
                    .filter(this::isOfDialect)
                    .toList();
        }

        private boolean isOfDialect(LoadableResource resource) {
            return Arrays.stream(Dialect.values())
                    .filter(other -> other != dialect)
                    .noneMatch(other -> resource.getAbsolutePath().contains(other.folder()));
        }
    }
}
