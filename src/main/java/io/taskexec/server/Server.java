package io.taskexec.server;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.api.connection.ConnectionConfig;
import io.taskexec.config.Address;
import io.taskexec.config.DatabaseUrl;
import io.taskexec.config.Role;
import io.taskexec.config.ServerConfig;
import io.taskexec.config.Settings;
import io.taskexec.config.StartRefusedException;
import io.taskexec.config.StartupChecks;
import io.taskexec.store.clock.ClockStore;
import java.net.BindException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Checks the settings, hands them to Quarkus in its own words and runs it. */
public final class Server {
    /** The exit code of a start that is refused. */
    public static final int REFUSED = 2;

    private static final Map<String, String> AT_ONCE_WITHOUT_CHANGES = Map.of(
            "te.database-start-timeout-sec", "0",
            "te.migrate-at-start", "false",
            // What is printed may be read by a program.
            "quarkus.log.console.stderr", "true");

    static final String API = "quarkus.http";
    static final String MANAGEMENT = "quarkus.management";

    private final Settings settings;
    private final QuarkusSettings quarkus = new QuarkusSettings();

    private Server(Settings settings) {
        this.settings = settings;
    }

    /**
     * Runs the roles until the process is asked to stop; returns the exit code.
     *
     * @param options what the command sets itself
     * @param announcements are printed when the roles run
     */
    public static int serve(Map<String, String> options, String... announcements) {
        var settings = Settings.read(options);
        StartupChecks.checkAll(settings);
        var server = new Server(settings);
        server.connect();
        server.listen();
        return server.run(App.class, announcements);
    }

    /** Runs an application that needs only the database, once that can be used; returns the exit code. */
    public static int runWhenDatabaseIsUp(
            Class<? extends QuarkusApplication> application, Map<String, String> options, String... arguments) {
        var settings = Settings.read(options);
        StartupChecks.checkDatabase(settings.server());
        var server = new Server(settings);
        server.connect();
        server.quarkus.listenNowhere(API);
        server.quarkus.listenNowhere(MANAGEMENT);
        return server.run(application, arguments);
    }

    /** The same, which leaves the schema alone and fails at once when the database cannot be used. */
    public static int runOnDatabase(
            Class<? extends QuarkusApplication> application, Map<String, String> options, String... arguments) {
        var all = new HashMap<>(AT_ONCE_WITHOUT_CHANGES);
        all.putAll(options);
        return runWhenDatabaseIsUp(application, all, arguments);
    }

    /** What connections are told when the clock of the database can be moved. */
    public static Map<String, String> ofVirtualClock() {
        return QuarkusSettings.sessions(Map.of(
                "search_path",
                ClockStore.SEARCH_PATH,
                // A step is some milliseconds, which a commit that waits for the disk would double.
                "synchronous_commit",
                "off"));
    }

    // A worker has one claim and one batch of results under way at a time, and asks little else.
    private static int poolSize(ServerConfig config) {
        return config.dbPoolSize().orElse(config.roles().equals(List.of(Role.WORKER)) ? 2 : 10);
    }

    private void connect() {
        var config = settings.server();
        var database = DatabaseUrl.parse(config.databaseUrl().orElseThrow());
        // The log is not written before Quarkus has started.
        var found = DatabaseWait.await(database, config.databaseStartTimeout(), System.err::println);
        quarkus.connect(database, found.dialect(), poolSize(config));
    }

    private void listen() {
        var config = settings.server();
        if (config.roles().contains(Role.API)) {
            quarkus.listen(API, Address.parse("TE_LISTEN_ADDR", config.listenAddr()));
        } else {
            quarkus.listenNowhere(API);
        }
        quarkus.listen(MANAGEMENT, Address.parse("TE_MANAGEMENT_ADDR", config.managementAddr()));
        quarkus.limitConnections(settings.of(ConnectionConfig.class));
    }

    private int run(Class<? extends QuarkusApplication> application, String... arguments) {
        quarkus.log(settings.server());
        var exitCode = new AtomicInteger();
        var failure = new AtomicReference<@Nullable Throwable>();
        settings.during(
                quarkus.values(),
                () -> Quarkus.run(
                        application,
                        (code, thrown) -> {
                            exitCode.set(code);
                            failure.set(thrown);
                        },
                        arguments));
        var cause = failure.get();
        if (cause != null) {
            throw explained(cause);
        }
        return exitCode.get();
    }

    private RuntimeException explained(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StartRefusedException refused) {
                return refused;
            }
            if (cause instanceof BindException) {
                // Names the port, if it is still taken.
                quarkus.checkPorts();
                return new StartRefusedException("A port of TE_LISTEN_ADDR or TE_MANAGEMENT_ADDR cannot be opened:"
                        + " another program has taken it during the start.");
            }
        }
        return new IllegalStateException("taskexec cannot start", failure);
    }
}
