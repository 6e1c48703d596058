import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** The program under test with all its roles and its own database, as a child process. */
final class Program {
    private static final Duration START_LIMIT = Duration.ofSeconds(120);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration PROBE_INTERVAL = Duration.ofMillis(5);
    private static final int SHOWN_LOG_LINES = 20;

    private final Process process;
    private final Path dataDirectory;
    private final Path log;
    private final URI management;
    private final Service service;
    private final double startSeconds;

    private Program(Process process, Path dataDirectory, Path log, URI management, int port, long beginNanos)
            throws IOException, InterruptedException {
        this.process = process;
        this.dataDirectory = dataDirectory;
        this.log = log;
        this.management = management;
        this.service = awaitReady(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), beginNanos);
        this.startSeconds = (System.nanoTime() - beginNanos) / 1e9;
    }

    /** Starts it and waits until it answers an authorised request. */
    static Program start(Options options, Path dataDirectory) throws IOException, InterruptedException {
        return start(options, dataDirectory, Map.of());
    }

    /** The same with settings of a scenario's own. */
    static Program start(Options options, Path dataDirectory, Map<String, String> settings)
            throws IOException, InterruptedException {
        int port = freePort();
        File log = new File(dataDirectory + ".log");
        var builder = new ProcessBuilder(
                        options.program().toString(), "dev", "--port", "" + port, "--data-dir", "" + dataDirectory)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
        String management = "127.0.0.1:" + freePort();
        builder.environment().put("TE_MANAGEMENT_ADDR", management);
        builder.environment().put("TE_RATE_LIMIT_PER_SEC", "0");
        builder.environment().put("TE_EGRESS_MODE", "open");
        options.workerSlots().ifPresent(n -> builder.environment().put("TE_WORKER_MAX_CONCURRENT", "" + n));
        builder.environment().putAll(settings);
        long beginNanos = System.nanoTime();
        Process process = builder.start();
        // Also on Ctrl-C: nothing that was started here stays behind.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        return new Program(process, dataDirectory, log.toPath(), URI.create("http://" + management), port, beginNanos);
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

    MemorySample memory() throws IOException {
        return MemorySample.of(process.toHandle(), dataDirectory);
    }

    /** Stops it as an operator would, and returns how many seconds that took. */
    double stop() {
        List<ProcessHandle> children = children();
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

    private List<ProcessHandle> children() {
        try {
            return Stream.concat(process.descendants(), DatabaseProcesses.in(dataDirectory).stream())
                    .distinct()
                    .toList();
        } catch (IOException e) {
            return process.descendants().toList();
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

    private Service awaitReady(InetSocketAddress address, long beginNanos) throws IOException, InterruptedException {
        Path key = dataDirectory.resolve("api-key");
        while (System.nanoTime() - beginNanos < START_LIMIT.toNanos()) {
            if (!process.isAlive()) {
                throw new IOException("The program ended before it was ready.\n" + lastLogLines());
            }
            if (Files.exists(key)) {
                var candidate = new Service(address, Files.readString(key).strip());
                if (ReadyProbe.answers(candidate)) {
                    return candidate;
                }
            }
            Thread.sleep(PROBE_INTERVAL);
        }
        stop();
        throw new IOException("The program was not ready in " + START_LIMIT.toSeconds() + " s.\n" + lastLogLines());
    }

    private String lastLogLines() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LOG_LINES), lines.size()));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
