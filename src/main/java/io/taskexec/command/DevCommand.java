package io.taskexec.command;

import io.taskexec.clock.ClockMode;
import io.taskexec.config.Address;
import io.taskexec.config.StartRefusedException;
import io.taskexec.embedded.DataDirectory;
import io.taskexec.embedded.EmbeddedDatabase;
import io.taskexec.model.VisibleText;
import io.taskexec.secret.ApiKeys;
import io.taskexec.secret.KeyRing;
import io.taskexec.server.Server;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Everything on one machine. */
@Command(
        name = "dev",
        description = "Run all roles on this machine, on a PostgreSQL of its own.",
        mixinStandardHelpOptions = true)
public final class DevCommand implements Callable<Integer> {
    private static final String HOST = "127.0.0.1";
    private static final String MANAGEMENT = "TE_MANAGEMENT_ADDR";
    private static final int MANAGEMENT_PORT = 9000;
    private static final int MAX_PORT = 65_535;
    private static final int STOP_PATIENCE_SEC = 120;

    @Option(
            names = "--data-dir",
            defaultValue = ".taskexec",
            description = "Directory for all that is kept between starts; default: ${DEFAULT-VALUE}.")
    private Path dataDir = Path.of(".taskexec");

    @Option(names = "--port", defaultValue = "8080", description = "Port of the API; default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(names = "--virtual-clock", description = "Let 'taskexec clock' move the time ahead.")
    private boolean virtualClock;

    @Override
    public Integer call() {
        if (port < 1 || port > MAX_PORT) {
            throw new StartRefusedException("--port must be between 1 and " + MAX_PORT + ", not " + port + ".");
        }
        try (var directory = DataDirectory.open(dataDir)) {
            new Address(HOST, port).checkFree();
            var database = EmbeddedDatabase.start(directory.path());
            var closed = holdExit();
            try (database) {
                return serve(directory, database);
            } finally {
                closed.countDown();
            }
        }
    }

    /**
     * When the process is told to stop, it ends as soon as all shutdown hooks have: Quarkus's, in which the roles
     * drain, and this one, which waits until the database that they write their last results to has been closed as
     * well.
     */
    private static CountDownLatch holdExit() {
        var closed = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> await(closed), "hold-exit"));
        return closed;
    }

    private static void await(CountDownLatch closed) {
        try {
            var _ = closed.await(STOP_PATIENCE_SEC, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private int serve(DataDirectory directory, EmbeddedDatabase database) {
        var apiKey = directory.apiKey(ApiKeys::generate);
        var management = System.getenv().getOrDefault(MANAGEMENT, HOST + ":" + managementPort());
        var options = new HashMap<String, String>();
        options.put("te.roles", "api,worker,scheduler");
        options.put("te.listen-addr", HOST + ":" + port);
        options.put("te.management-addr", management);
        setUnlessGiven(options, "TE_PUBLIC_URL", "te.public.url", "http://" + HOST + ":" + port);
        options.put("te.database-url", database.url());
        options.put("te.migrate-at-start", "true");
        options.put("te.api-key", apiKey);
        options.put("te.secret-encryption-key", directory.secretKey(KeyRing::generate));
        options.put("quarkus.profile", "dev-command");
        setUnlessGiven(options, "TE_EGRESS_MODE", "te.egress.mode", "open");
        setUnlessGiven(options, "TE_LOG_FORMAT", "te.log-format", "text");
        // Beside the block that is printed when it is ready, this is what a developer wants to see.
        setUnlessGiven(options, "TE_LOG_LEVEL", "te.log-level", "warn");
        setUnlessGiven(options, "TE_EVENTS_ENABLED", "te.events-enabled", "true");
        options.put(ClockMode.PROPERTY, (virtualClock ? ClockMode.VIRTUAL : ClockMode.UNMOVED).name());
        if (virtualClock) {
            options.putAll(Server.ofVirtualClock());
            // The answer comes at the end of an advance.
            setUnlessGiven(options, "TE_LISTEN_IDLE_TIMEOUT_SEC", "te.listen.idle-timeout-sec", "900");
        }
        return Server.serve(options, VisibleText.of(block(directory, apiKey, management)));
    }

    /** Two of these commands may run at once on different directories, so the usual port may be taken. */
    private int managementPort() {
        return port != MANAGEMENT_PORT && new Address(HOST, MANAGEMENT_PORT).isFree()
                ? MANAGEMENT_PORT
                : Address.anyFreePort();
    }

    private static void setUnlessGiven(Map<String, String> options, String name, String property, String value) {
        if (System.getenv(name) == null) {
            options.put(property, value);
        }
    }

    private String block(DataDirectory directory, String apiKey, String management) {
        return """

                taskexec is ready.

                  API        http://%1$s:%2$d
                  API key    %3$s
                  Dashboard  http://%1$s:%2$d/ui/
                  Try it     http://%1$s:%2$d/q/swagger-ui
                  Metrics    http://%5$s/q/metrics
                  Health     http://%5$s/q/health
                  Data       %4$s
                %6$s""".formatted(
                        HOST, port, apiKey, directory.path(), management, virtualClock ? "  Clock      virtual\n" : "");
    }
}
