package io.taskexec.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The program of the README, in a process of its own. */
public final class TenLines implements AutoCloseable {
    private final Process process;

    private TenLines(Process process) {
        this.process = process;
    }

    public static String source() throws IOException {
        var readme = Files.readString(Path.of("README.md"));
        var begin = readme.indexOf("```java\n") + "```java\n".length();
        return readme.substring(begin, readme.indexOf("```", begin));
    }

    public static TenLines start(Path directory, String url, String key) throws IOException {
        var file = Files.writeString(directory.resolve("Greeter.java"), source());
        var builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        file.toString())
                .redirectErrorStream(true);
        builder.environment().put("TE_URL", url);
        builder.environment().put("TE_TOKEN", key);
        return new TenLines(builder.start());
    }

    /** Returns the next line that it prints. */
    public String line() throws IOException {
        return String.valueOf(process.inputReader().readLine());
    }

    /** Tells it to end, and returns whether it has. */
    public boolean stop() throws InterruptedException {
        process.destroy();
        return process.waitFor(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
