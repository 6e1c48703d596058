package io.taskexec.store.migration;

import static java.util.stream.Collectors.joining;

import io.taskexec.store.sql.DatabaseProbe;
import io.taskexec.store.sql.Dialect;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
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
import org.jspecify.annotations.Nullable;

/**
 * Brings the schema up to date; several processes may do so at once. There is a common set of migrations and one for
 * each dialect, of which only that of the connected database is used.
 */
@Singleton
public final class Migrations {
    /** A lock that is held by an open transaction would have CREATE INDEX CONCURRENTLY wait for ever. */
    public static final Map<String, String> SETTINGS = Map.of("flyway.postgresql.transactional.lock", "false");

    /** The indexes of the versions that only make one, outside a transaction: what is interrupted stays half made. */
    public static final Map<String, String> INDEXES = Map.of(
            "4", "exec_live_lines",
            "8", "exec_live_queue_holders",
            "10", "exec_live_expiring",
            "16", "exec_live_waiting",
            "29", "exec_live_deferred");

    /** One that reads the tables of history for long, and beside which all others go on. */
    private static final String READS_ALL = "27";

    private static final Logger LOG = Logger.getLogger(Migrations.class);

    /** After that an operator wants to know what is going on. */
    private static final long LONG_MS = 10_000;

    private static final int FOR_EVER = -1;

    /**
     * How long a migration waits for a lock of a table. All statements that use the table wait behind it meanwhile. It
     * is longer than deadlock_timeout, after which an ordinary vacuum that runs by itself gives way.
     */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

    /** The time between two tries, in which the statements of servers go on. */
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(10);

    private static final String WAIT_BRIEFLY =
            "SELECT set_config('lock_timeout', '%d', true)".formatted(LONGEST_WAIT.toMillis());

    private static final String INSUFFICIENT_PRIVILEGE = "42501";
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private static final String RIGHTS =
            "; migrate with the role that owns the schema, and give the others their rights";

    private static final String DEVELOPMENT_VERSION = "it is that of a development version of taskexec, which cannot be"
            + " upgraded: use an empty database, or another --data-dir for 'taskexec dev'";

    private final Flyway configured;
    private final Duration betweenTries;

    /** @param configured knows the data source and every migration of the build */
    @Inject
    Migrations(Flyway configured) {
        this(configured, BETWEEN_TRIES);
    }

    /** The same with another pause after a migration that did not get a lock. */
    Migrations(Flyway configured, Duration betweenTries) {
        this.configured = configured;
        this.betweenTries = betweenTries;
    }

    /** Applies what is missing; returns how many migrations that were. Throws {@link MigrationException}. */
    public int run() {
        var notice = CompletableFuture.runAsync(
                () -> LOG.info("still migrating: a migration takes long, or another process has to end its own first"),
                CompletableFuture.delayedExecutor(LONG_MS, TimeUnit.MILLISECONDS));
        try {
            return explained(this::migrate);
        } finally {
            var _ = notice.cancel(false);
        }
    }

    /** Goes on until all is applied, however long a transaction keeps a lock that a migration needs. */
    private int migrate() {
        var applied = 0;
        while (true) {
            var flyway = checked(forDialect());
            forgetHalfMadeIndex(flyway);
            var before = flyway.info().applied().length;
            try {
                return applied + flyway.migrate().migrationsExecuted;
            } catch (FlywayMigrateException e) {
                if (!gaveWay(e, flyway)) {
                    throw e;
                }
                applied += flyway.info().applied().length - before;
                LOG.warnf(
                        "migration %s did not get the lock of a table within %d s, and is tried again in %d s, so that"
                                + " others go on; open transactions: %s",
                        e.getMigration().getVersion(),
                        LONGEST_WAIT.toSeconds(),
                        betweenTries.toSeconds(),
                        LockHolders.describe(flyway.getConfiguration().getDataSource()));
            }
            pause();
        }
    }

    /** Whether a migration has changed nothing, since another transaction kept a lock that it needs. */
    private static boolean gaveWay(FlywayMigrateException failure, Flyway flyway) {
        var cause = cause(failure);
        return cause != null
                && LOCK_NOT_AVAILABLE.equals(cause.getSQLState())
                && !isInNoWay(failure.getMigration())
                && dialect(flyway.getConfiguration()) == Dialect.POSTGRESQL;
    }

    private void pause() {
        try {
            Thread.sleep(betweenTries);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MigrationException("it was interrupted", e);
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

    /** Whether statements of servers go on while a migration waits for the lock of a table, or has it. */
    private static boolean isInNoWay(MigrationInfo migration) {
        return onlyMakesAnIndex(migration)
                || (migration.isVersioned()
                        && READS_ALL.equals(migration.getVersion().getVersion()));
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
                var found = statement.executeQuery("SELECT current_schema() IS NOT NULL")) {
            if (found.next() && !found.getBoolean(1)) {
                throw new MigrationException("the role may use no schema of its search path" + RIGHTS, null);
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

    private static @Nullable SQLException cause(FlywayException failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException e) {
                return e;
            }
        }
        return null;
    }

    private static String reason(FlywayException failure) {
        var cause = cause(failure);
        if (cause != null) {
            var reason = DatabaseProbe.reason(cause);
            return INSUFFICIENT_PRIVILEGE.equals(cause.getSQLState()) ? reason + RIGHTS : reason;
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
                .callbacks(new HalfMadeIndex(dialect), new BriefWait(dialect))
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

    /**
     * Has a migration give up when it does not get a lock soon, unless it is in no one's way: such a one has long work
     * to do, and would have to begin anew. CockroachDB changes tables while they are used.
     */
    private record BriefWait(Dialect dialect) implements Callback {
        @Override
        public boolean supports(Event event, Context context) {
            return event == Event.BEFORE_EACH_MIGRATE
                    && dialect == Dialect.POSTGRESQL
                    && !isInNoWay(context.getMigrationInfo());
        }

        @Override
        public boolean canHandleInTransaction(Event event, Context context) {
            return true;
        }

        @Override
        public void handle(Event event, Context context) {
            try (var statement = context.getConnection().createStatement()) {
                var _ = statement.execute(WAIT_BRIEFLY);
            } catch (SQLException e) {
                throw new FlywayException(e);
            }
        }

        @Override
        public String getCallbackName() {
            return "brief wait";
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
