package io.taskexec.server;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.api.connection.ConnectionConfig;
import io.taskexec.api.connection.ConnectionLimits;
import io.taskexec.config.Address;
import io.taskexec.config.DatabaseUrl;
import io.taskexec.config.Role;
import io.taskexec.config.ServerConfig;
import io.taskexec.config.Settings;
import io.taskexec.config.StartRefusedException;
import io.taskexec.config.StartupChecks;
import io.taskexec.observe.log.VisibleLog;
import java.net.BindException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Checks the settings, hands them to Quarkus in its own words and runs it. */
public final class Server {
    /** The exit code of a start that is refused. */
    public static final int REFUSED = 2;

    private Server() {}

    /** Runs the roles until the process is asked to stop; returns the exit code. */
    public static int serve() {
        var settings = Settings.read();
        StartupChecks.checkAll(settings);
        var server = settings.server();
        log(server);
        connect(server, server.databaseStartTimeout());
        bind("quarkus.http", server.roles().contains(Role.API), Address.parse("TE_LISTEN_ADDR", server.listenAddr()));
        bind("quarkus.management", true, Address.parse("TE_MANAGEMENT_ADDR", server.managementAddr()));
        limitConnections(settings.of(ConnectionConfig.class));
        Launch.serving();
        return run(App.class);
    }

    /** Runs an application that needs only the database, once that can be used; returns the exit code. */
    public static int runWhenDatabaseIsUp(Class<? extends QuarkusApplication> application) {
        var settings = readForDatabase();
        connect(settings.server(), settings.server().databaseStartTimeout());
        return runWithoutPorts(application);
    }

    /** The same, which fails at once when the database cannot be used. */
    public static int runOnDatabase(Class<? extends QuarkusApplication> application, String... arguments) {
        connect(readForDatabase().server(), Duration.ZERO);
        return runWithoutPorts(application, arguments);
    }

    /** Nothing but the database need be set. */
    private static Settings readForDatabase() {
        var settings = Settings.read();
        StartupChecks.checkDatabase(settings.server());
        log(settings.server());
        return settings;
    }

    private static int runWithoutPorts(Class<? extends QuarkusApplication> application, String... arguments) {
        System.setProperty("quarkus.http.host-enabled", "false");
        System.setProperty("quarkus.management.host-enabled", "false");
        return run(application, arguments);
    }

    private static void log(ServerConfig server) {
        var level = server.logLevel();
        // The debug lines of libraries may contain secrets.
        var ofLibraries = level == ServerConfig.LogLevel.DEBUG ? ServerConfig.LogLevel.INFO : level;
        System.setProperty("quarkus.log.level", ofLibraries.name());
        System.setProperty("quarkus.log.category.\"io.taskexec\".level", level.name());
        // Categories of libraries have levels of their own, which must not let through what is not wanted.
        System.setProperty("quarkus.log.console.level", level.name());
        System.setProperty(
                "quarkus.log.console.json.enabled", String.valueOf(server.logFormat() == ServerConfig.LogFormat.JSON));
        System.setProperty("quarkus.log.console.filter", VisibleLog.NAME);
    }

    private static void connect(ServerConfig server, Duration patience) {
        var database = DatabaseUrl.parse(server.databaseUrl().orElseThrow());
        // The log is not written before Quarkus has started.
        var found = DatabaseWait.await(database, patience, System.err::println);
        found.sessions()
                .forEach((name, value) ->
                        System.setProperty("quarkus.datasource.reactive.additional-properties." + name, value));
        database.asProperties().forEach(System::setProperty);
        System.setProperty("quarkus.datasource.reactive.max-size", String.valueOf(server.dbPoolSize()));
        // Work goes on in the thread that a result arrives in: with one thread for all connections, one core does it
        // all.
        System.setProperty(
                "quarkus.datasource.reactive.event-loop-size",
                String.valueOf(Runtime.getRuntime().availableProcessors()));
    }

    private static void bind(String prefix, boolean listens, Address address) {
        if (listens) {
            address.checkFree();
        }
        System.setProperty(prefix + ".host-enabled", String.valueOf(listens));
        System.setProperty(prefix + ".host", address.host());
        System.setProperty(prefix + ".port", String.valueOf(address.port()));
    }

    private static void checkFree(String prefix) {
        if (Boolean.getBoolean(prefix + ".host-enabled")) {
            new Address(System.getProperty(prefix + ".host", ""), Integer.getInteger(prefix + ".port", 0)).checkFree();
        }
    }

    private static void limitConnections(ConnectionConfig connections) {
        ConnectionLimits.use(connections);
        for (var prefix : new String[] {"quarkus.http", "quarkus.management"}) {
            System.setProperty(prefix + ".idle-timeout", connections.idleTimeoutSec() + "S");
        }
    }

    private static int run(Class<? extends QuarkusApplication> application, String... arguments) {
        var exitCode = new AtomicInteger();
        var failure = new AtomicReference<@Nullable Throwable>();
        Quarkus.run(
                application,
                (code, cause) -> {
                    exitCode.set(code);
                    failure.set(cause);
                },
                arguments);
        var refusal = Launch.refusal();
        if (refusal != null) {
            throw new StartRefusedException(refusal);
        }
        if (isBindFailure(failure.get())) {
            // Names the port, if it is still taken.
            checkFree("quarkus.http");
            checkFree("quarkus.management");
            throw new StartRefusedException("A port of TE_LISTEN_ADDR or TE_MANAGEMENT_ADDR cannot be opened: another"
                    + " program has taken it during the start.");
        }
        if (failure.get() != null) {
            throw new IllegalStateException("taskexec cannot start", failure.get());
        }
        return exitCode.get();
    }

    private static boolean isBindFailure(@Nullable Throwable failure) {
        return failure != null && (failure instanceof BindException || isBindFailure(failure.getCause()));
    }
}
