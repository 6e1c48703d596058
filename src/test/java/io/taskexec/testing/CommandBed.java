package io.taskexec.testing;

import io.taskexec.Main;
import io.taskexec.cli.text.TerminalWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Commands that run within this JVM, and the server that they ask, which answers as it is told. */
public final class CommandBed implements AutoCloseable {
    private final Receiver server = new Receiver();
    private final StringWriter err = new StringWriter();
    private final Writer out;

    /** Remembers what the commands print. */
    public CommandBed() {
        this(new StringWriter());
    }

    /** Has the commands print to {@code out}. */
    public CommandBed(Writer out) {
        this.out = out;
    }

    /** The server that is asked. */
    public Receiver server() {
        return server;
    }

    /** Runs a command with the address of the server and an API key; gives its exit code. */
    public int run(String... words) {
        var token = token();
        try {
            var all = new ArrayList<>(List.of(words));
            all.addAll(List.of("--url", server.uri("").toString(), "--token-file", token.toString()));
            return Main.commandLine(all)
                    .setOut(TerminalWriter.ofOutput(out))
                    .setErr(TerminalWriter.ofErrors(err))
                    .execute(all.toArray(String[]::new));
        } finally {
            var _ = token.toFile().delete();
        }
    }

    private static Path token() {
        try {
            return Files.writeString(Files.createTempFile("token", null), "te_key");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the standard output of the commands. */
    public String out() {
        return out.toString();
    }

    /** Returns their standard error. */
    public String err() {
        return err.toString();
    }

    /** The method, the path and the body of the latest request. */
    public String requested() {
        var request = server.requests().getLast();
        return request.method() + " " + request.path() + " " + request.body();
    }

    @Override
    public void close() {
        server.close();
    }
}
