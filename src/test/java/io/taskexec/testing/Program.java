package io.taskexec.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** The packaged program as a process of its own, on free ports, with what it prints in files below {@code target}. */
public final class Program implements AutoCloseable {
    /** The API key of every program that {@link #serving} describes. */
    public static final String API_KEY = "te-e2e-7Qm2xV9rTz4LkW8n";

    /** The key for secrets of every program that {@link #serving} describes. */
    public static final String SECRET_KEY = "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    /** What a JVM exits with when SIGTERM has ended it, as a shell would say it. */
    public static final int SIGTERM = 128 + 15;

    private static final Path OUTPUTS = TestFiles.directory("programs");
    private static final Duration START_BOUND = Duration.ofSeconds(60);
    private static final Duration STOP_BOUND = Duration.ofSeconds(20);
    private static final int TAIL_LINES = 30;
    private static final int OK = 200;
    private static final String BLOCKED = "\"loggerName\":\"io.vertx.core.impl.BlockedThreadChecker\"";
    /** The server ends a connection of HTTP/2 at its first deadline, also under a request. */
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    /** Of each JVM of a run. */
    private static final int PORTS = 5_000;

    private static final int FIRST_PORT = 12_000 + TestFiles.FORK * PORTS;
    private static final AtomicInteger NEXT_PORT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));
    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        // A test run that is broken off leaves nothing running.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
    }

    private final Process process;
    private final Path out;
    private final Path err;
    private final int managementPort;
    private final int apiPort;

    private Program(Process process, Path out, Path err, int apiPort, int managementPort) {
        this.process = process;
        this.out = out;
        this.err = err;
        this.apiPort = apiPort;
        this.managementPort = managementPort;
    }

    /** The setup of a program: arguments, environment, and in which directory. Immutable. */
    public record Setup(List<String> arguments, Map<String, String> environment, Path directory) {
        /** The same with one setting more, or another value for it. */
        public Setup with(String name, String value) {
            var more = new LinkedHashMap<>(environment);
            more.put(name, value);
            return new Setup(arguments, more, directory);
        }

        /** The same with one setting less. */
        public Setup without(String name) {
            var fewer = new LinkedHashMap<>(environment);
            fewer.remove(name);
            return new Setup(arguments, fewer, directory);
        }

        /** The same with other arguments. */
        public Setup arguments(String... others) {
            return new Setup(List.of(others), environment, directory);
        }

        /** The same in another directory. */
        public Setup in(Path other) {
            return new Setup(arguments, environment, other);
        }

        /** Starts it and returns at once. */
        public Program start() {
            return Program.start(this);
        }

        /** Starts it and waits until it is ready. */
        public Program startReady() throws InterruptedException {
            var program = start();
            try {
                program.awaitReady();
            } catch (AssertionError e) {
                program.kill();
                throw e;
            }
            return program;
        }

        /** Starts it and waits until it has ended by itself. */
        public Program run() throws InterruptedException {
            var program = start();
            var _ = program.awaitExit();
            return program;
        }
    }

    /** A program with nothing set but free ports. */
    public static Setup command(String... arguments) {
        return new Setup(List.of(arguments), Map.of(), Path.of(""));
    }

    /** A program with all roles, on this database and allowed to deliver to this machine. */
    public static Setup serving(ServerDb database) {
        return command()
                .with("TE_DATABASE_URL", database.url())
                .with("TE_API_KEY", API_KEY)
                .with("TE_SECRET_ENCRYPTION_KEY", SECRET_KEY)
                .with("TE_MIGRATE_AT_START", "true")
                .with("TE_EGRESS_MODE", "open");
    }

    private static Program start(Setup setup) {
        try {
            Files.createDirectories(OUTPUTS);
            var name = "%03d".formatted(STARTED.incrementAndGet());
            var out = OUTPUTS.resolve(name + ".out");
            var err = OUTPUTS.resolve(name + ".err");
            var builder = new ProcessBuilder(commandLine(setup))
                    .directory(setup.directory().toAbsolutePath().toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            var apiPort = freePort();
            var managementPort = freePort();
            var environment = builder.environment();
            environment.keySet().removeIf(variable -> variable.startsWith("TE_") || variable.startsWith("QUARKUS_"));
            environment.put("TE_LISTEN_ADDR", "127.0.0.1:" + apiPort);
            environment.put("TE_MANAGEMENT_ADDR", "127.0.0.1:" + managementPort);
            environment.putAll(setup.environment());
            var process = builder.start();
            RUNNING.add(process);
            return new Program(process, out, err, apiPort, managementPort);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> commandLine(Setup setup) {
        var words = new ArrayList<>(program());
        words.addAll(setup.arguments());
        return words;
    }

    /**
     * What starts it: the jar of this build, or what {@code ./verify --binary} was given, an executable or a script.
     */
    public static List<String> program() {
        var binary = System.getProperty("taskexec.binary", "");
        return binary.isEmpty() ? java("-XX:AOTCache=" + StartCache.file().toAbsolutePath()) : List.of(binary);
    }

    /** The jar with one more option of the JVM. */
    static List<String> java(String option) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                option,
                "-jar",
                System.getProperty("taskexec.jar"));
    }

    /**
     * A port that nothing listens on. It is none of those that the system gives to connections, and another one each
     * time, so that it is still free when a program opens it.
     */
    public static int freePort() {
        while (true) {
            var port = FIRST_PORT + Math.floorMod(NEXT_PORT.getAndIncrement(), PORTS);
            try (var socket = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
                return socket.getLocalPort();
            } catch (BindException _) {
                // Another program has it.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Where its API listens, when it has one and its address was not set by the test. */
    public int apiPort() {
        return apiPort;
    }

    /** Where its health and metrics are. */
    public int managementPort() {
        return managementPort;
    }

    /** A client of its API with the key of {@link #serving}. */
    public Api api() {
        return new Api(apiPort, API_KEY);
    }

    /** The answer to a GET on the management port. */
    public HttpResponse<String> manage(String path) throws IOException, InterruptedException {
        return send(management(path));
    }

    /** The answer to a GET on the management port that asks for a media type. */
    public HttpResponse<String> manage(String path, String mediaType) throws IOException, InterruptedException {
        return send(management(path).header("Accept", mediaType));
    }

    private HttpRequest.Builder management(String path) {
        return HttpRequest.newBuilder(URI.create(managementUri(path)));
    }

    /** The address of something on the management port. */
    public String managementUri(String path) {
        return "http://127.0.0.1:" + managementPort + path;
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return HTTP.send(request.timeout(Duration.ofSeconds(10)).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Waits until it says that it is ready. */
    public void awaitReady() throws InterruptedException {
        awaitReadiness("ready", START_BOUND, () -> readiness() == OK);
    }

    /** Waits until it no longer says that it is ready, as while it drains; fails when it ends before that. */
    public void awaitDraining() throws InterruptedException {
        awaitReadiness("draining", STOP_BOUND, () -> readiness() != OK);
    }

    private void awaitReadiness(String what, Duration bound, BooleanSupplier reached) throws InterruptedException {
        try {
            Eventually.await(what, bound, () -> reached.getAsBoolean() || !process.isAlive());
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + tail(), e);
        }
        if (!process.isAlive()) {
            throw new AssertionError("The program ended with code " + process.exitValue() + ".\n" + tail());
        }
    }

    private int readiness() {
        try {
            return manage("/q/health/ready").statusCode();
        } catch (IOException _) {
            return 0;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    /** SIGKILL: nothing of it runs any more when this returns. */
    public void kill() {
        process.destroyForcibly().onExit().join();
        RUNNING.remove(process);
    }

    /** Whether it has not ended. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** SIGSTOP: it stays where it is, with all its connections. */
    public void freeze() {
        Signals.send("STOP", process.pid());
    }

    /** SIGCONT: it goes on as if no time had passed. */
    public void thaw() {
        Signals.send("CONT", process.pid());
    }

    /** SIGINT, as Ctrl-C sends it. */
    public void interrupt() {
        Signals.send("INT", process.pid());
    }

    /** SIGTERM, without waiting. */
    public void terminate() {
        process.destroy();
    }

    /** Waits until it has ended, and gives its exit code. */
    public int awaitExit() throws InterruptedException {
        return awaitExit(START_BOUND);
    }

    /** Waits until it has ended, and gives its exit code; fails when that takes longer than {@code bound}. */
    public int awaitExit(Duration bound) throws InterruptedException {
        try {
            Eventually.await("the program ends", bound, () -> !process.isAlive());
        } catch (AssertionError e) {
            var said = tail();
            kill();
            throw new AssertionError(e.getMessage() + "\n" + said, e);
        }
        RUNNING.remove(process);
        return process.exitValue();
    }

    /** What it has printed so far to its standard output. */
    public String out() {
        return TestFiles.text(out);
    }

    /** What it has printed so far to its standard error. */
    public String err() {
        return TestFiles.text(err);
    }

    /** All that it has printed so far. */
    public String output() {
        return out() + err();
    }

    /** All that it has printed so far, which is nothing but lines of its log in JSON. */
    public List<JsonNode> log() {
        return output().lines().map(Program::parse).toList();
    }

    private static JsonNode parse(String line) {
        try {
            return Json.parse(line);
        } catch (JsonProcessingException e) {
            throw new AssertionError("No line of the log: " + line, e);
        }
    }

    /**
     * What it has printed so far that tells of an error or has a stack trace, whatever the format of the log. In JSON,
     * threads that were found blocked are left out: a machine that stands still blocks them too.
     */
    public List<String> errors() {
        return output().lines()
                .filter(line -> !line.contains(BLOCKED))
                .filter(line -> line.contains(" ERROR ")
                        || line.contains("\"level\":\"ERROR\"")
                        || line.contains("\"stackTrace\":")
                        || line.startsWith("\tat "))
                .toList();
    }

    private String tail() {
        var lines = Arrays.asList(output().split("\n", -1));
        return "It printed to %s and %s:%n%s"
                .formatted(
                        out,
                        err,
                        String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size())));
    }

    /** Stops it if it still runs: in good order if it can, by force otherwise. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
                kill();
            }
        } catch (InterruptedException _) {
            kill();
            Thread.currentThread().interrupt();
        }
        RUNNING.remove(process);
    }
}
