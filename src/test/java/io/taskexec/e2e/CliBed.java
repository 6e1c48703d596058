package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.testing.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs commands for people against a server, nearly all of them within this process.
 *
 * @param folder where their files are
 */
record CliBed(Api api, Path folder, Path tokenFile) {
    /** The setting of their servers. */
    static final String EVENTS = "TE_EVENTS_ENABLED=true";

    static CliBed in(Path folder, Api api) throws IOException {
        return new CliBed(api, folder, Files.writeString(folder.resolve("token"), api.key() + "\n"));
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
