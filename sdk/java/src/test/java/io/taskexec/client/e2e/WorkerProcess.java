package io.taskexec.client.e2e;

import io.taskexec.client.Task;
import io.taskexec.client.Taskexec;
import io.taskexec.client.worker.Worker;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A worker of the client in a process of its own, which can be frozen and killed. */
final class WorkerProcess implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(5);

    private final Process process;
    private final Path log;

    /**
     * Runs until it is let end, or for a time.
     *
     * @param millis the time
     */
    record Hold(int number, boolean held, long millis) implements Task {}

    private WorkerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** The program of the process. */
    public static void main(String[] arguments) throws IOException {
        var mayEnd = new CountDownLatch(1);
        Worker.of(Taskexec.connect(arguments[0], arguments[1]))
                .concurrency(Integer.parseInt(arguments[2]))
                .lease(LEASE)
                .withoutRegistration()
                .consume(Hold.class, (task, context) -> {
                    System.out.println("begun " + context.executionId());
                    if (task.held()) {
                        mayEnd.await();
                    }
                    Thread.sleep(task.millis());
                })
                .start();
        System.in.transferTo(OutputStream.nullOutputStream());
        mayEnd.countDown();
    }

    static WorkerProcess start(Path directory, String url, String key, int slots) throws IOException {
        var log = Files.createTempFile(directory, "worker", ".log");
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WorkerProcess.class.getName(),
                        url,
                        key,
                        String.valueOf(slots))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new WorkerProcess(process, log);
    }

    /** The lines that it has printed which contain this. */
    List<String> lines(String part) {
        try {
            return Files.readAllLines(log).stream()
                    .filter(line -> line.contains(part))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void freeze() throws IOException, InterruptedException {
        signal("STOP");
    }

    void thaw() throws IOException, InterruptedException {
        signal("CONT");
    }

    /** Lets the tasks end that are held. */
    void letEnd() throws IOException {
        process.getOutputStream().close();
    }

    private void signal(String name) throws IOException, InterruptedException {
        var sent = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
        if (sent.waitFor() != 0) {
            throw new IOException("no signal was sent");
        }
    }

    /** Ends it without a chance to say anything. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
