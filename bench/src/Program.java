import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** The program under test as a child process. */
final class Program {
    private static final Duration START_LIMIT = Duration.ofSeconds(120);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration PROBE_INTERVAL = Duration.ofMillis(5);
    private static final int SHOWN_LOG_LINES = 20;

    static final String JAVA_OPTIONS = "TASKEXEC_JAVA_OPTS";

    private static final String API_KEY = "bench-5vGq8RzT2mXw7LkP3nYc9HdJ4sFb6AeQ";
    static final String SECRET_KEY = "k1:q1mZ0Y7n3vXr5KcT8eLwB2sHjP4uFdG6aQxNzVtRyIo=";

    private final Process process;
    private final Service service;
    private final URI management;
    private final double startSeconds;

    private Program(Process process, Service service, URI management, double startSeconds) {
        this.process = process;
        this.service = service;
        this.management = management;
        this.startSeconds = startSeconds;
    }

    /** Starts `dev` with a database of its own, and waits until it answers an authorised request. */
    static Program dev(Options options, Path dataDirectory) throws IOException, InterruptedException {
        int port = freePort();
        Path key = dataDirectory.resolve("api-key");
        var command = List.of("dev", "--port", "" + port, "--data-dir", "" + dataDirectory);
        return start(
                options,
                command,
                Map.of("TE_MANAGEMENT_ADDR", "127.0.0.1:" + freePort()),
                dataDirectory + ".log",
                () -> {
                    if (!Files.exists(key)) {
                        return Optional.empty();
                    }
                    var service =
                            new Service(loopback(port), Files.readString(key).strip());
                    return ReadyProbe.answers(service) ? Optional.of(service) : Optional.empty();
                });
    }

    /** Starts one process with some of the roles on a database, and waits until it is ready. */
    static Program serve(Options options, String roles, Database database, Path log, Map<String, String> more)
            throws IOException, InterruptedException {
        var service = new Service(loopback(freePort()), API_KEY);
        InetSocketAddress management = loopback(freePort());
        var environment = new HashMap<>(more);
        environment.put("TE_DATABASE_URL", database.url());
        environment.put("TE_API_KEY", API_KEY);
        environment.put("TE_SECRET_ENCRYPTION_KEY", SECRET_KEY);
        environment.putIfAbsent("TE_MIGRATE_AT_START", "true");
        environment.put("TE_LISTEN_ADDR", service.host());
        environment.put("TE_MANAGEMENT_ADDR", "127.0.0.1:" + management.getPort());
        return start(options, List.of("serve", "--roles", roles), environment, log.toString(), () -> {
            boolean ready = roles.contains("api") ? ReadyProbe.answers(service) : ReadyProbe.isReady(management);
            return ready ? Optional.of(service) : Optional.empty();
        });
    }

    /** Gives a database the tables of the program, which is started for nothing else. */
    static void migrate(Options options, Database database, Path log) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(options.program().toString(), "migrate")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("TE_DATABASE_URL", database.url());
        if (builder.start().waitFor() != 0) {
            throw new IOException("The database cannot be migrated.\n" + lastLines(log));
        }
    }

    /** Figures of starts are those with an AOT cache, but a launcher passes over a missing one without a word. */
    static void verifyCache(Options options, Report report, String scenario) throws IOException {
        Path launcher = options.program().toRealPath();
        // Beside the launcher of a checkout, or above that of a release.
        if (Stream.of("target", "../cache")
                .noneMatch(
                        caches -> Files.exists(launcher.resolveSibling(caches).resolve("taskexec.aot")))) {
            report.problem(scenario, "the program has no AOT cache");
        }
    }

    /** Says where the program answers once it does. */
    private interface Probe {
        Optional<Service> ready() throws IOException;
    }

    private static Program start(
            Options options, List<String> command, Map<String, String> environment, String log, Probe probe)
            throws IOException, InterruptedException {
        var words = new ArrayList<>(List.of(options.program().toString()));
        words.addAll(command);
        var builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(log)));
        builder.environment().put("TE_RATE_LIMIT_PER_SEC", "0");
        builder.environment().put("TE_EGRESS_MODE", "open");
        builder.environment().putAll(environment);
        options.workerSlots().ifPresent(n -> builder.environment().put("TE_WORKER_MAX_CONCURRENT", "" + n));
        long beginNanos = System.nanoTime();
        Process process = builder.start();
        // Also on Ctrl-C: nothing that was started here stays behind.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        Service service = awaitReady(process, Path.of(log), probe, beginNanos);
        URI management = URI.create("http://" + environment.get("TE_MANAGEMENT_ADDR"));
        return new Program(process, service, management, (System.nanoTime() - beginNanos) / 1e9);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    Service service() {
        return service;
    }

    /** Where its metrics are. */
    URI management() {
        return management;
    }

    double startSeconds() {
        return startSeconds;
    }

    ProcessHandle process() {
        return process.toHandle();
    }

    /** Stops it as an operator would, and returns how many seconds that took. */
    double stop() {
        List<ProcessHandle> children = process.descendants().toList();
        long beginNanos = System.nanoTime();
        process.destroy();
        awaitEnd(process.toHandle());
        double seconds = (System.nanoTime() - beginNanos) / 1e9;
        for (ProcessHandle child : children) {
            if (outlives(child)) {
                System.err.println("The program left process " + child.pid() + " behind; stopping it.");
                child.destroy();
                awaitEnd(child);
            }
        }
        return seconds;
    }

    /** Ends it without a warning. */
    void kill() {
        process.destroyForcibly();
        awaitEnd(process.toHandle());
    }

    /** An ended process still counts as alive for the moment until its new parent has noticed. */
    private static boolean outlives(ProcessHandle child) {
        try {
            var _ = child.onExit().get(1, TimeUnit.SECONDS);
            return false;
        } catch (TimeoutException | ExecutionException e) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static void awaitEnd(ProcessHandle process) {
        try {
            process.onExit().get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static Service awaitReady(Process process, Path log, Probe probe, long beginNanos)
            throws IOException, InterruptedException {
        while (System.nanoTime() - beginNanos < START_LIMIT.toNanos()) {
            if (!process.isAlive()) {
                throw new IOException("The program ended before it was ready.\n" + lastLines(log));
            }
            Optional<Service> service = probe.ready();
            if (service.isPresent()) {
                return service.get();
            }
            Thread.sleep(PROBE_INTERVAL);
        }
        process.destroy();
        awaitEnd(process.toHandle());
        throw new IOException("The program was not ready in " + START_LIMIT.toSeconds() + " s.\n" + lastLines(log));
    }

    private static String lastLines(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LOG_LINES), lines.size()));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
