package io.taskexec.store.sql;

import static java.util.stream.Collectors.joining;

import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.flywaydb.core.api.configuration.Configuration;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.flywaydb.core.api.resource.LoadableResource;
import org.flywaydb.core.internal.exception.FlywayMigrateException;
import org.jboss.logging.Logger;

/**
 * Brings the schema up to date; several processes may do so at once. There is a common set of migrations and one for
 * each dialect, of which only that of the connected database is used.
 */
@Singleton
public final class Migrations {
    /** A lock that is held by an open transaction would have CREATE INDEX CONCURRENTLY wait for ever. */
    public static final Map<String, String> SETTINGS = Map.of("flyway.postgresql.transactional.lock", "false");

    /** The indexes of the versions that only make one, outside a transaction: what is interrupted stays half made. */
    static final Map<String, String> INDEXES = Map.of(
            "4", "exec_live_lines",
            "8", "exec_live_queue_holders",
            "10", "exec_live_expiring",
            "16", "exec_live_waiting",
            "29", "exec_live_deferred");

    private static final Logger LOG = Logger.getLogger(Migrations.class);

    /** After that an operator wants to know what is going on. */
    private static final long LONG_MS = 10_000;

    private static final int FOR_EVER = -1;

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final String RIGHTS =
            "; migrate with the role that owns the schema, and give the others their rights";

    private static final String DEVELOPMENT_VERSION = "it is that of a development version of taskexec, which cannot be"
            + " upgraded: use an empty database, or another --data-dir for 'taskexec dev'";

    private final Flyway configured;

    /** @param configured knows the data source and every migration of the build */
    Migrations(Flyway configured) {
        this.configured = configured;
    }

    /** Applies what is missing; returns how many migrations that were. Throws {@link MigrationException}. */
    public int run() {
        var notice = CompletableFuture.runAsync(
                () -> LOG.info("still migrating: a migration takes long, or another process has to end its own first"),
                CompletableFuture.delayedExecutor(LONG_MS, TimeUnit.MILLISECONDS));
        try {
            return explained(() -> {
                var flyway = checked(forDialect());
                forgetHalfMadeIndex(flyway);
                return flyway.migrate().migrationsExecuted;
            });
        } finally {
            var _ = notice.cancel(false);
        }
    }

    /** Removes the failure of a migration that can simply be repeated. Any other is for an operator to look at. */
    private static void forgetHalfMadeIndex(Flyway flyway) {
        var failed = Arrays.stream(flyway.info().all())
                .filter(migration -> migration.getState().isFailed())
                .toList();
        if (!failed.isEmpty()
                && failed.stream().allMatch(Migrations::onlyMakesAnIndex)
                && dialect(flyway.getConfiguration()) == Dialect.POSTGRESQL) {
            var _ = flyway.repair();
        }
    }

    private static boolean onlyMakesAnIndex(MigrationInfo migration) {
        return migration.isVersioned()
                && INDEXES.containsKey(migration.getVersion().getVersion());
    }

    /** Whether something is missing. Throws {@link MigrationException}. */
    public boolean pending() {
        return explained(() -> {
            var flyway = checked(forDialect());
            var isPending = flyway.info().pending().length > 0;
            if (isPending && flyway.info().applied().length == 0) {
                checkVisible(flyway.getConfiguration());
            }
            return isPending;
        });
    }

    /** To a role without rights a schema looks as if nothing had been migrated. */
    private static void checkVisible(Configuration configuration) {
        try (var connection = configuration.getDataSource().getConnection();
                var statement = connection.createStatement();
                var found = statement.executeQuery("SELECT has_schema_privilege('public', 'USAGE')")) {
            if (found.next() && !found.getBoolean(1)) {
                throw new MigrationException("permission denied for schema public" + RIGHTS, null);
            }
        } catch (SQLException e) {
            throw new MigrationException(DatabaseProbe.reason(e), e);
        }
    }

    /** Whether a newer program has applied migrations that this one does not know. */
    public boolean ahead() {
        return Arrays.stream(forDialect().info().applied())
                .anyMatch(migration -> migration.getState() == MigrationState.FUTURE_SUCCESS);
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
                return INSUFFICIENT_PRIVILEGE.equals(e.getSQLState()) ? reason + RIGHTS : reason;
            }
        }
        // The second line says which migration it is.
        return String.valueOf(failure.getMessage())
                .lines()
                .limit(failure instanceof FlywayValidateException ? 2 : 1)
                .collect(joining(": "));
    }

    Flyway forDialect() {
        var configuration = configured.getConfiguration();
        var dialect = dialect(configuration);
        var others = new WithoutOther(configuration.getResourceProvider(), dialect);
        return Flyway.configure()
                .configuration(configuration)
                .configuration(SETTINGS)
                .resourceProvider(others)
                .callbacks(new HalfMadeIndex(dialect))
                // The process that has the lock may need hours.
                .lockRetryCount(FOR_EVER)
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

    /**
     * Drops an index just before it is made: that of an interrupted migration is invalid, or finished but not recorded.
     * No other process migrates meanwhile. CockroachDB is left to an operator.
     */
    private record HalfMadeIndex(Dialect dialect) implements Callback {
        @Override
        public boolean supports(Event event, Context context) {
            return event == Event.BEFORE_EACH_MIGRATE
                    && dialect == Dialect.POSTGRESQL
                    && onlyMakesAnIndex(context.getMigrationInfo());
        }

        @Override
        public boolean canHandleInTransaction(Event event, Context context) {
            return false;
        }

        @Override
        public void handle(Event event, Context context) {
            var index = INDEXES.get(context.getMigrationInfo().getVersion().getVersion());
            try (var statement = context.getConnection().createStatement()) {
                var _ = statement.execute("DROP INDEX CONCURRENTLY IF EXISTS " + index);
            } catch (SQLException e) {
                throw new FlywayException(e);
            }
        }

        @Override
        public String getCallbackName() {
            return "half-made index";
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
