package io.taskexec.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which server a command talks to, and with which key. */
final class ServerOptions {
    private static final int REFUSED = 1;
    private static final int NO_ANSWER = 2;

    @Option(
            names = "--url",
            defaultValue = "${env:TE_URL:-http://127.0.0.1:8080}",
            description = "Where the API is; TE_URL, or else http://127.0.0.1:8080.")
    private String url = "";

    @Option(names = "--token-file", description = "A file with the API key to use; otherwise TE_TOKEN has it.")
    private @Nullable Path tokenFile;

    /** What is done with a server. */
    @FunctionalInterface
    interface Task {
        void run(ServerClient client) throws ServerClient.RefusedException, IOException, InterruptedException;
    }

    /** Runs {@code task}; gives the exit code. */
    int use(CommandSpec spec, Task task) {
        var base = base(spec);
        var token = token(spec);
        try (var client = new ServerClient(base, token)) {
            task.run(client);
            return 0;
        } catch (ServerClient.RefusedException e) {
            return say(spec, "The server refuses: " + e.getMessage(), REFUSED);
        } catch (IOException e) {
            var reason = e.getMessage() == null ? "no connection" : e.getMessage();
            return say(spec, "There is no proper answer from " + base + ": " + reason + ".", NO_ANSWER);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return say(spec, "Interrupted.", NO_ANSWER);
        }
    }

    private static int say(CommandSpec spec, String sentence, int exitCode) {
        spec.commandLine().getErr().println(sentence);
        spec.commandLine().getErr().flush();
        return exitCode;
    }

    private URI base(CommandSpec spec) {
        try {
            var base = URI.create(url.replaceFirst("/+$", ""));
            if (base.getHost() != null && base.getScheme().matches("https?")) {
                return base;
            }
        } catch (IllegalArgumentException _) {
            // The message below says it.
        }
        throw new ParameterException(
                spec.commandLine(), "--url or TE_URL must be like http://127.0.0.1:8080, not '" + url + "'.");
    }

    private String token(CommandSpec spec) {
        var token =
                (tokenFile == null ? String.valueOf(System.getenv().getOrDefault("TE_TOKEN", "")) : read(spec)).strip();
        if (token.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "An API key is needed: set TE_TOKEN, or name a file with --token-file.");
        }
        // A header cannot have anything else, and an exception about it would show the key.
        if (!token.matches("[!-~]+")) {
            throw new ParameterException(
                    spec.commandLine(), "The API key must be visible ASCII characters without spaces.");
        }
        return token;
    }

    private String read(CommandSpec spec) {
        try {
            return tokenFile == null ? "" : Files.readString(tokenFile, StandardCharsets.UTF_8);
        } catch (IOException _) {
            throw new ParameterException(spec.commandLine(), "The file " + tokenFile + " cannot be read.");
        }
    }
}
