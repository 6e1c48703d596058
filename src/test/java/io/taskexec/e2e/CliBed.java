package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A server, and commands for people that talk to it; nearly all of them run within this process. */
final class CliBed implements AutoCloseable {
    private final Receiver receiver = new Receiver();
    private final Program program;
    private Path folder = Path.of("");
    private Path tokenFile = Path.of("");

    CliBed(Class<?> test) {
        program = Program.serving(ServerDb.fresh(test))
                .with("TE_EVENTS_ENABLED", "true")
                .start();
    }

    /** Waits until the server is ready; files go into this folder. */
    void open(Path directory) throws IOException, InterruptedException {
        folder = directory;
        tokenFile = Files.writeString(folder.resolve("token"), Program.API_KEY + "\n");
        program.awaitReady();
    }

    @Override
    public void close() {
        program.close();
        receiver.close();
    }

    Api api() {
        return program.api();
    }

    /** To where endpoints deliver. */
    Receiver receiver() {
        return receiver;
    }

    Path folder() {
        return folder;
    }

    /** A file with the key. */
    Path tokenFile() {
        return tokenFile;
    }

    /** The arguments, and where the server is. */
    String[] withServer(String... arguments) {
        return Stream.concat(
                        Stream.of(arguments),
                        Stream.of("--url", api().uri("").toString(), "--token-file", tokenFile.toString()))
                .toArray(String[]::new);
    }

    CommandRun run(String... arguments) {
        return CommandRun.of(withServer(arguments));
    }

    /** What it prints when it goes well. */
    String done(String... arguments) {
        var run = run(arguments);
        assertThat(run.code())
                .as("%s: %s%s", String.join(" ", arguments), run.out(), run.err())
                .isZero();
        return run.out();
    }

    /** The JSON that it prints when it goes well. */
    JsonNode json(String... arguments) throws IOException {
        var more = new ArrayList<>(List.of(arguments));
        more.addAll(List.of("-o", "json"));
        return Json.parse(done(more.toArray(String[]::new)));
    }

    /** A file with this text. */
    String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }
}
