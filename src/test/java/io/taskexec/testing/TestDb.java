package io.taskexec.testing;

import io.smallrye.mutiny.Uni;
import io.taskexec.embedded.EmbeddedDatabase;
import io.taskexec.store.migration.Migrations;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.region.RegionStore;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.UnavailableException;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.PoolOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;

/**
 * A fresh, migrated database on a PostgreSQL server that all tests of a JVM share. Its sessions are in a time zone that
 * is far from UTC and has summer time, so that a conversion that forgets the zone does not pass. Stores have the rights
 * that servers have in production, and no more; tests may do everything.
 */
public final class TestDb implements AutoCloseable {
    /** How long a test waits for what must happen at once. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    /** The isolation of all transactions, unless a test wants another: {@code -Dtaskexec.isolation=serializable}. */
    static final String ISOLATION = System.getProperty("taskexec.isolation", "read committed");

    private static final String SERIALIZATION_FAILURE = "40001";
    private static final int CONNECTIONS = 12;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final PgConnectOptions server;
    private final Pool pool;
    private final Pool ofServers;
    private final Database database;

    private TestDb(PgConnectOptions server) {
        this.server = server;
        this.pool = pool(server, CONNECTIONS);
        this.ofServers = pool(Server.asServers(server), CONNECTIONS);
        this.database = new Database(ofServers, PATIENCE);
    }

    /** A database of its own for a test class. */
    public static TestDb fresh() {
        return fresh(ISOLATION);
    }

    /** The same where every transaction is serializable, whatever the others are. */
    public static TestDb serializable() {
        return fresh("serializable");
    }

    private static TestDb fresh(String isolation) {
        // Tests hold locks for as long as a slow machine takes to come to where they are waited for. A statement ends
        // before that.
        return fresh(isolation, Long.toString(PATIENCE.toMillis() * 2));
    }

    /** One where locks are waited for as briefly as by servers. */
    public static TestDb withoutPatience() {
        return fresh(ISOLATION, "0");
    }

    private static TestDb fresh(String isolation, String lockTimeout) {
        var name = LiveServer.name("test_" + COUNT.incrementAndGet());
        Server.create(name);
        return new TestDb(Server.options(name)
                .addProperty("default_transaction_isolation", isolation)
                .addProperty("lock_timeout", lockTimeout));
    }

    /** Where it is. */
    public PgConnectOptions server() {
        return new PgConnectOptions(server);
    }

    /** Another pool on the same database, to be closed by the test. */
    public Pool withConnections(int size) {
        return pool(server, size);
    }

    /** A way to the server, on which answers may be lost. */
    public ConnectionGate gate() {
        return new ConnectionGate(
                0, "postgresql://%s:%d/".formatted(server.getHost(), server.getPort()), Integer.MAX_VALUE);
    }

    /** The database on this way, with the rights that servers have; its connections end with the gate. */
    public Database over(ConnectionGate gate) {
        return new Database(poolOver(gate), PATIENCE);
    }

    /** The same, as connections alone. */
    public Pool poolOver(ConnectionGate gate) {
        var connections = pool(
                new PgConnectOptions(Server.asServers(server))
                        .setHost("127.0.0.1")
                        .setPort(gate.port()),
                2);
        gate.beforeClose(() -> await(connections.close()));
        return connections;
    }

    private static Pool pool(PgConnectOptions server, int size) {
        return new Pool(PgBuilder.pool()
                .with(new PoolOptions().setMaxSize(size))
                .connectingTo(server)
                .using(Server.VERTX)
                .build());
    }

    /** The Vert.x that all databases of the JVM use. */
    public static Vertx vertx() {
        return Server.VERTX;
    }

    /** What {@code uni} gives; fails when that takes too long. */
    public static <T extends @Nullable Object> T await(Uni<T> uni) {
        return uni.await().atMost(PATIENCE);
    }

    /** What a statement gives, repeated as a worker does when conflicts go on for long: then nothing was written. */
    public static <T> T awaitRepeated(Supplier<Uni<T>> statement) {
        return await(repeated(statement));
    }

    /** The same, of several at once. */
    public static <T> Uni<T> repeated(Supplier<Uni<T>> statement) {
        return Uni.createFrom()
                .deferred(statement::get)
                .onFailure(UnavailableException.class)
                .retry()
                .withBackOff(Duration.ofMillis(10))
                .indefinitely();
    }

    public Pool pool() {
        return pool;
    }

    /** Connections with the rights that servers have. */
    public Pool poolOfServers() {
        return ofServers;
    }

    public Database database() {
        return database;
    }

    /** What a process in this region knows of regions. */
    public RegionFilter region(String name) {
        return new RegionFilter(new RegionStore(database), new HomeRegion(name), new DueSignal());
    }

    /** The rows of a query, asked for again while it conflicts with transactions that are serializable. */
    public List<Row> rows(String sql, @Nullable Object... parameters) {
        var found = new ArrayList<Row>();
        await(Uni.createFrom()
                        .deferred(() -> pool.preparedQuery(sql).execute(Tuple.from(parameters)))
                        .onFailure(failure ->
                                failure instanceof PgException e && SERIALIZATION_FAILURE.equals(e.getSqlState()))
                        .retry()
                        .indefinitely())
                .forEach(found::add);
        return found;
    }

    /** The only row of a query. */
    public Row row(String sql, @Nullable Object... parameters) {
        var found = rows(sql, parameters);
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " rows instead of one: " + sql);
        }
        return found.getFirst();
    }

    /** The only number of a query. */
    public long number(String sql, @Nullable Object... parameters) {
        return row(sql, parameters).getLong(0);
    }

    /**
     * The plan of a statement in a session with the settings that the program gives its own. With {@code (ANALYZE)}
     * before it, the statement is run too.
     */
    public String plan(String explained, @Nullable Object... parameters) {
        return await(pool.withTransaction(transaction -> transaction
                .query("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
                .execute()
                .chain(_ -> transaction.preparedQuery("EXPLAIN " + explained).execute(Tuple.from(parameters)))
                .map(lines -> StreamSupport.stream(lines.spliterator(), false)
                        .map(line -> line.getString(0))
                        .collect(Collectors.joining("\n")))));
    }

    /** Runs a statement; gives how many rows it changed. */
    public int execute(String sql, @Nullable Object... parameters) {
        return await(pool.preparedQuery(sql).execute(Tuple.from(parameters))).rowCount();
    }

    @Override
    public void close() {
        await(ofServers.close());
        await(pool.close());
    }

    /** The server of this JVM, started when it is first needed and stopped when the JVM ends. */
    private static final class Server {
        static final String TEMPLATE = LiveServer.name("migrated");
        static final Vertx VERTX = Vertx.vertx(
                new VertxOptions().setEventLoopPoolSize(2).setWorkerPoolSize(1).setInternalBlockingPoolSize(1));
        private static final URI URL = start();

        private static final boolean IS_COCKROACH = isCockroach();

        /** On somebody's own server no roles are left behind. */
        private static final boolean HAS_ROLES = !LiveServer.isUsed();

        static {
            if (!IS_COCKROACH) {
                execute("CREATE DATABASE " + TEMPLATE);
                LiveServer.dropAtEnd(TEMPLATE);
            }
            if (HAS_ROLES) {
                DatabaseRoles.migrate(jdbc(TEMPLATE), user()[0], user()[1]);
                // Which a role without rights cannot set for itself.
                execute("ALTER ROLE " + DatabaseRoles.SERVERS + " SET deadlock_timeout = '20ms'");
            } else if (!IS_COCKROACH) {
                migrate(TEMPLATE, "postgresql");
            }
        }

        private Server() {}

        /** A copy of one that was migrated, where the server can copy. */
        static void create(String name) {
            execute("CREATE DATABASE " + name + (IS_COCKROACH ? "" : " TEMPLATE " + TEMPLATE));
            LiveServer.dropAtEnd(name);
            if (IS_COCKROACH) {
                migrate(name, "cockroachdb");
            }
        }

        private static void migrate(String name, String dialect) {
            Flyway.configure()
                    .dataSource(jdbc(name), user()[0], user()[1])
                    .locations("classpath:db/migration/common", "classpath:db/migration/" + dialect)
                    .configuration(Migrations.SETTINGS)
                    .load()
                    .migrate();
        }

        private static boolean isCockroach() {
            try (var connection = LiveServer.connect(URL.toString())) {
                return LiveServer.isCockroach(connection);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static URI start() {
            var live = LiveServer.url();
            if (live != null) {
                return URI.create(live);
            }
            try {
                var home = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "testdb-");
                var database = EmbeddedDatabase.start(home);
                Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> stop(database, home)));
                return URI.create(database.url());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void stop(EmbeddedDatabase database, Path home) {
            quit(home.resolve("postgres").resolve("postmaster.pid"));
            database.close();
            try (var files = Files.walk(home)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Nothing is kept, so the server need not write out first what it has in memory, which closing lets it do. */
        private static void quit(Path pidFile) {
            try {
                var pid = Files.readAllLines(pidFile).getFirst().strip();
                var server = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
                Signals.send("QUIT", server.pid());
                server.onExit()
                        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static PgConnectOptions options(String name) {
            var options = new PgConnectOptions()
                    .setHost(URL.getHost())
                    .setPort(URL.getPort())
                    .setDatabase(name)
                    .setUser(user()[0])
                    .setPassword(user()[1])
                    .addProperty("timezone", "America/Los_Angeles")
                    .addProperty("synchronous_commit", "off")
                    .addProperty("statement_timeout", Long.toString(PATIENCE.toMillis()));
            return IS_COCKROACH
                    ? options.addProperty("enable_multiple_modifications_of_table", "on")
                    : options.addProperty("deadlock_timeout", "20ms");
        }

        static PgConnectOptions asServers(PgConnectOptions options) {
            if (!HAS_ROLES) {
                return options;
            }
            var ofServers = new PgConnectOptions(options).setUser(DatabaseRoles.SERVERS);
            ofServers.getProperties().remove("deadlock_timeout");
            return ofServers;
        }

        static void execute(String sql) {
            try (var connection = LiveServer.connect(URL.toString());
                    var statement = connection.createStatement()) {
                var _ = statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static String jdbc(String name) {
            return LiveServer.jdbc(URI.create(LiveServer.at(URL.toString(), name)));
        }

        private static String[] user() {
            return (URL.getUserInfo() + ":").split(":", 3);
        }
    }
}
