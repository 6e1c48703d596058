package io.taskexec.cli.receiver;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** The echo command in a thread of its own, with what it prints. */
final class RunningEcho implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("Listening on (\\S+) ");

    private final StringWriter printed = new StringWriter();
    private final CompletableFuture<String> address = new CompletableFuture<>();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private final Thread thread;

    private RunningEcho(String... args) {
        thread = Thread.ofVirtual().unstarted(() -> run(args));
    }

    static RunningEcho start(String... args) {
        var echo = new RunningEcho(args);
        echo.thread.start();
        return echo;
    }

    private void run(String... args) {
        var out = new PrintWriter(printed) {
            @Override
            public void flush() {
                super.flush();
                var match = ADDRESS.matcher(printed.toString());
                if (match.find()) {
                    var _ = address.complete(match.group(1));
                }
            }
        };
        var code = new CommandLine(new Echo()).setOut(out).execute(args);
        var _ = ended.complete(code);
        var _ = address.completeExceptionally(new IllegalStateException("The command ended with " + code));
    }

    String address() throws Exception {
        return address.get(10, TimeUnit.SECONDS);
    }

    /** Ends it and returns everything that it printed. */
    String stop() {
        close();
        return printed.toString();
    }

    @Override
    public void close() {
        thread.interrupt();
        ended.join();
    }
}
