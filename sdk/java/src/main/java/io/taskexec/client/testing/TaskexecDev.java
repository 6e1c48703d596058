package io.taskexec.client.testing;

import io.taskexec.client.Query;
import io.taskexec.client.Taskexec;
import io.taskexec.client.TaskexecException;
import io.taskexec.client.model.Clock;
import io.taskexec.client.model.Execution;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A taskexec for tests: {@code taskexec dev --virtual-clock} as a process, with a database of its own in a directory
 * that is deleted. It takes some seconds to start, so let all tests of a run share one.
 *
 * <p>The program is found by the system property {@code taskexec.program} or the variable {@code TASKEXEC_PROGRAM}: the
 * script {@code taskexec}, the native executable, or {@code quarkus-run.jar}; without them by the search path. A jar
 * needs a Java 25 or newer: that of {@code taskexec.java} or {@code TASKEXEC_JAVA}, or else the one that runs the test.
 *
 * <pre>{@code
 * try (var server = TaskexecDev.start()) {
 *     server.client().task(new Report()).key("report").dailyAt(3, 0).schedule();
 *     server.advance(Duration.ofDays(30));
 * }
 * }</pre>
 */
public final class TaskexecDev implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration STEP = Duration.ofSeconds(30);
    private static final Duration STOP = Duration.ofSeconds(30);
    private static final int LOG_LINES = 30;

    private final Process process;
    private final Path directory;
    private final Thread hook;
    private final String url;
    private final String apiKey;
    private final Taskexec client;

    private TaskexecDev(Process process, Path directory, Thread hook, String url, String apiKey) {
        this.process = process;
        this.directory = directory;
        this.hook = hook;
        this.url = url;
        this.apiKey = apiKey;
        this.client = Taskexec.connect(url, apiKey);
    }

    /**
     * Starts the program that the properties name.
     *
     * @return a server that answers
     * @throws IllegalStateException when it does not start; its last lines are in the message
     */
    public static TaskexecDev start() {
        return start(Path.of(given("taskexec.program", "TASKEXEC_PROGRAM", "taskexec")));
    }

    /**
     * Starts a program.
     *
     * @param program the script, the native executable, or the jar
     * @return a server that answers
     * @throws IllegalStateException when it does not start; its last lines are in the message
     */
    public static TaskexecDev start(Path program) {
        try {
            var directory = Files.createTempDirectory("taskexec-test");
            try {
                return start(program, directory);
            } catch (IOException | RuntimeException e) {
                delete(directory);
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("taskexec cannot be started: " + e.getMessage(), e);
        }
    }

    private static TaskexecDev start(Path program, Path directory) throws IOException {
        var port = freePort();
        var command = command(program);
        command.addAll(List.of(
                "dev",
                "--virtual-clock",
                "--port",
                String.valueOf(port),
                "--data-dir",
                directory.resolve("data").toString()));
        var log = directory.resolve("log");
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("TE_MANAGEMENT_ADDR", "127.0.0.1:" + freePort());
        var process = builder.start();
        // One that all tests of a run share is closed by none of them.
        var hook = new Thread(() -> end(process, directory), "taskexec-dev-stop");
        var url = "http://127.0.0.1:" + port;
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            return new TaskexecDev(process, directory, hook, url, awaitKey(process, directory, url, log));
        } catch (RuntimeException e) {
            process.destroyForcibly().onExit().join();
            remove(hook);
            throw e;
        }
    }

    private static List<String> command(Path program) {
        var command = new ArrayList<String>();
        if (program.toString().endsWith(".jar")) {
            var home = given("taskexec.java", "TASKEXEC_JAVA", System.getProperty("java.home"));
            command.addAll(List.of(
                    Path.of(home, "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED",
                    "-jar"));
        }
        command.add(Files.exists(program) ? program.toAbsolutePath().toString() : program.toString());
        return command;
    }

    private static String given(String property, String variable, String otherwise) {
        var value = System.getProperty(property, "");
        if (value.isEmpty()) {
            value = System.getenv().getOrDefault(variable, "");
        }
        return value.isEmpty() ? otherwise : value;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Waits until it answers with its key. */
    private static String awaitKey(Process process, Path directory, String url, Path log) {
        var end = System.nanoTime() + START.toNanos();
        while (process.isAlive() && System.nanoTime() - end < 0) {
            var key = read(directory.resolve("data").resolve("api-key"));
            if (key != null && answers(url, key)) {
                return key;
            }
            sleep();
        }
        throw new IllegalStateException(
                (process.isAlive() ? "taskexec is not ready" : "taskexec has ended") + ":\n" + tail(log));
    }

    private static boolean answers(String url, String key) {
        try {
            Taskexec.builder()
                    .servers(url)
                    .key(key)
                    .patience(Duration.ZERO)
                    .build()
                    .overview();
            return true;
        } catch (TaskexecException e) {
            return false;
        }
    }

    private static @Nullable String read(Path file) {
        try {
            var text = Files.readString(file).strip();
            return text.isEmpty() ? null : text;
        } catch (IOException e) {
            return null;
        }
    }

    private static String tail(Path log) {
        try {
            var lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "it has no log";
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /**
     * Returns a client with all rights.
     *
     * @return the same each time
     */
    public Taskexec client() {
        return client;
    }

    /**
     * Returns the address of the API.
     *
     * @return such as {@code http://127.0.0.1:40123}
     */
    public String url() {
        return url;
    }

    /**
     * Returns the administrator's key.
     *
     * @return the key
     */
    public String apiKey() {
        return apiKey;
    }

    /**
     * Returns the time of the server.
     *
     * @return ahead of the system's clock when it was moved
     */
    public Instant now() {
        return client.clock().get().now();
    }

    /**
     * Moves the clock ahead. What becomes due meanwhile runs in its order, with the workers that are there; it comes
     * back when all of that has ended. Work that no worker asks for is an error; {@code client().clock()} moves the
     * clock without waiting for it.
     *
     * @param time by how much
     * @return the clock after it
     * @throws IllegalStateException when the work of a moment takes more than half a minute
     */
    public Clock advance(Duration time) {
        return advanceTo(now().plus(time));
    }

    /**
     * Moves the clock ahead to a moment, as {@link #advance} does.
     *
     * @param goal not before now
     * @return the clock after it
     * @throws IllegalStateException when the work of a moment takes more than half a minute
     */
    public Clock advanceTo(Instant goal) {
        for (var next = idle(STEP).next(); next != null && next.isBefore(goal); ) {
            client.clock().advanceTo(next);
            next = idle(STEP).next();
        }
        var clock = client.clock().get();
        if (clock.now().isBefore(goal)) {
            clock = client.clock().advanceTo(goal);
        }
        awaitIdle(STEP);
        return clock;
    }

    /**
     * Waits until nothing is due and nothing runs.
     *
     * @param timeout the longest time to wait
     * @throws IllegalStateException when something still is or does
     */
    public void awaitIdle(Duration timeout) {
        idle(timeout);
    }

    private Agenda idle(Duration timeout) {
        var end = System.nanoTime() + timeout.toNanos();
        do {
            var wasBusy = Agenda.of(client, now()).isBusy();
            sleep();
            if (!wasBusy) {
                // Twice, since what waits for another one begins a moment after its end.
                var agenda = Agenda.of(client, now());
                if (!agenda.isBusy()) {
                    return agenda;
                }
            }
        } while (System.nanoTime() - end < 0);
        throw new IllegalStateException(
                "Something is still due or runs after " + timeout + ". Is there a worker for it?");
    }

    /**
     * Lists the executions of an endpoint.
     *
     * @param endpoint its name
     * @return newest first
     */
    public List<Execution> executions(String endpoint) {
        return client.executions().list(Query.where("endpoint", endpoint)).stream()
                .toList();
    }

    /** Ends the process, and deletes its directory. The end of this process does so too. */
    @Override
    public void close() {
        remove(hook);
        end(process, directory);
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process ends, and runs it.
            return;
        }
    }

    private static void end(Process process, Path directory) {
        process.destroy();
        try {
            if (!process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        delete(directory);
    }

    private static void delete(Path directory) {
        try (var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException | UncheckedIOException e) {
            // It lies in the directory for temporary files.
            return;
        }
    }
}
