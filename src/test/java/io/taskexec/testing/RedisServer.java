package io.taskexec.testing;

import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/** A real Redis of its own on 127.0.0.1, which keeps nothing on disk, and a client to look into it. */
public final class RedisServer implements AutoCloseable {
    private static final Duration START_BOUND = Duration.ofSeconds(20);
    /** In a cluster, servers also use a port that is higher by 10,000, where the system gives ports to clients. */
    private static final int PORTS_TRIED = 10;

    private static final Path DIRECTORY = TestFiles.directory("redis").toAbsolutePath();
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        // A test run that is broken off leaves nothing running.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
    }

    private final int port;
    private final List<String> settings;
    private Process process;
    private @Nullable RedisClient client;
    private @Nullable RedisCommands<String, String> commands;

    /** The server that all tests of a JVM share. */
    private static final class Shared {
        static final File PROGRAM = unpack();
        static final ClientResources CLIENTS = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .build();

        private static File unpack() {
            try {
                Files.createDirectories(DIRECTORY);
                return ExecutableProvider.newJarResourceProvider(DIRECTORY.toFile())
                        .get();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private RedisServer(int port, List<String> settings) throws InterruptedException {
        this.port = port;
        this.settings = settings;
        this.process = launch();
    }

    /** Starts one with these settings in addition, as {@code --name value}. */
    public static RedisServer start(String... settings) throws InterruptedException {
        for (var left = PORTS_TRIED; left > 0; left--) {
            var server = new RedisServer(Program.freePort(), List.of(settings));
            if (server.listens()) {
                return server;
            }
        }
        throw new AssertionError("Redis has ended at once, at each of %d ports".formatted(PORTS_TRIED));
    }

    /** False when it has ended: another program has taken its port, or that for clusters, since it was looked for. */
    private boolean listens() throws InterruptedException {
        Eventually.await("Redis answers at " + port, START_BOUND, () -> answers() || !process.isAlive());
        return process.isAlive();
    }

    private Process launch() {
        var words = new ArrayList<>(List.of(Shared.PROGRAM.toString()));
        words.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"));
        words.addAll(List.of("--cluster-config-file", newFile("nodes")));
        words.addAll(settings);
        try {
            var started = new ProcessBuilder(words)
                    .directory(DIRECTORY.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(DIRECTORY.resolve(port + ".out").toFile())
                    .start();
            RUNNING.add(started);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nothing of an earlier run. */
    private static String newFile(String name) {
        return name + "-" + Long.toString(System.nanoTime(), Character.MAX_RADIX) + ".conf";
    }

    private void awaitAnswer() throws InterruptedException {
        Eventually.await("Redis answers at " + port, START_BOUND, this::answers);
    }

    private boolean answers() {
        try {
            return !say("PING").isEmpty();
        } catch (UncheckedIOException _) {
            return false;
        }
    }

    /** The first line of the answer to a command, whose words are separated by spaces, on a connection of its own. */
    public String say(String command) {
        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            var answer = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            return Objects.requireNonNullElse(answer.readLine(), "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    /** Where it is, for one who needs no password. */
    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    /** A client that needs no password; it connects again by itself. */
    public RedisCommands<String, String> client() {
        if (commands == null) {
            client = RedisClient.create(Shared.CLIENTS, RedisURI.create("127.0.0.1", port));
            commands = client.connect().sync();
        }
        return commands;
    }

    /** The entries of a stream, from the oldest. */
    public List<StreamMessage<String, String>> entries(String stream) {
        return client().xrange(stream, Range.unbounded());
    }

    /** The fields of the only entry of a stream. */
    public Map<String, String> onlyEntry(String stream) {
        var entries = entries(stream);
        if (entries.size() != 1) {
            throw new AssertionError(entries.size() + " entries instead of one in " + stream + ": " + entries);
        }
        return entries.getFirst().getBody();
    }

    /** SIGKILL: what it had is gone. */
    public void kill() {
        process.destroyForcibly().onExit().join();
        RUNNING.remove(process);
    }

    /** Starts it again after {@link #kill}, at the same address. */
    public void startAgain() throws InterruptedException {
        process = launch();
        awaitAnswer();
    }

    /** SIGSTOP: it takes connections and bytes, and answers nothing. */
    public void freeze() {
        Signals.send("STOP", process.pid());
    }

    /** SIGCONT: it goes on, and does what it was sent meanwhile. */
    public void thaw() {
        Signals.send("CONT", process.pid());
    }

    @Override
    public void close() {
        if (client != null) {
            client.shutdown();
        }
        kill();
    }
}
