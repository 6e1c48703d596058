package io.taskexec.e2e;

import io.taskexec.Main;
import io.taskexec.cli.text.TerminalWriter;
import io.taskexec.testing.Eventually;
import java.io.ByteArrayInputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * A command that has run within this process, and what it printed.
 *
 * @param code the exit code
 */
record CommandRun(int code, String out, String err) {
    private static final Duration BOUND = Duration.ofSeconds(20);

    static CommandRun of(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var code = execute(out, err, arguments);
        return new CommandRun(code, out.toString(), err.toString());
    }

    /** Runs it with a text on the standard input. */
    static CommandRun withInput(String input, String... arguments) {
        var before = System.in;
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        try {
            return of(arguments);
        } finally {
            System.setIn(before);
        }
    }

    private static int execute(StringWriter out, StringWriter err, String... arguments) {
        return Main.commandLine(List.of(arguments))
                .setOut(TerminalWriter.ofOutput(out))
                .setErr(TerminalWriter.ofErrors(err))
                .execute(arguments);
    }

    /** A command that goes on until it is interrupted. */
    static final class Running implements AutoCloseable {
        private final StringWriter out = new StringWriter();
        private final StringWriter err = new StringWriter();
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        private final Thread thread;

        Running(String... arguments) {
            thread = Thread.ofPlatform().start(() -> ended.complete(execute(out, err, arguments)));
        }

        /** Waits until what it has printed is as wanted, and gives that. */
        String await(String what, Predicate<String> wanted) throws InterruptedException {
            return Eventually.await(what + "; " + err, BOUND, out::toString, text -> {
                if (ended.isDone() && !wanted.test(out.toString())) {
                    throw new AssertionError("It has ended: " + out + err);
                }
                return wanted.test(text);
            });
        }

        /** Interrupts it, and gives its exit code. */
        int stop() {
            thread.interrupt();
            return ended.join();
        }

        @Override
        public void close() {
            var _ = stop();
        }
    }
}
