package io.taskexec.cli.client;

import io.taskexec.cli.text.MalformedTextException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options that select the server and the API key. */
public final class ServerOptions {
    private static final int MAX_PORT = 65_535;

    @Option(names = "--url", description = "URL of the server; default: TE_URL, a profile or http://127.0.0.1:8080.")
    private @Nullable String url;

    @Option(names = "--token-file", description = "File with the API key; default: TE_TOKEN or a profile.")
    private @Nullable Path tokenFile;

    @Option(names = "--profile", description = "Profile; default: TE_PROFILE.")
    private @Nullable String profile;

    /** Work that needs a client. */
    @FunctionalInterface
    public interface Task {
        /** Returns the exit code. */
        int run(ServerClient client) throws IOException, InterruptedException;
    }

    /** Runs a task; returns its exit code, or the one of its error. */
    public int call(CommandSpec spec, Task task) {
        var target = target(spec);
        var base = base(spec, "--url, TE_URL or the url of the profile", target.url());
        try (var client = new ServerClient(base, token(spec, target))) {
            return task.run(client);
        } catch (RefusedException e) {
            return say(spec, "The server refuses: " + e.explanation(), ExitCode.REFUSED);
        } catch (IOException e) {
            if (e.getCause() instanceof InterruptedException) {
                return ExitCode.INTERRUPTED;
            }
            var reason = e.getMessage() == null ? "no connection" : e.getMessage();
            return say(
                    spec,
                    "No valid answer from " + base + ": " + reason
                            + ". Is the server running, and are --url, TE_URL or the profile right?",
                    ExitCode.NO_ANSWER);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED;
        }
    }

    private static int say(CommandSpec spec, String sentence, int exitCode) {
        spec.commandLine().getErr().println(sentence);
        spec.commandLine().getErr().flush();
        return exitCode;
    }

    private ServerTarget target(CommandSpec spec) {
        try {
            return Profiles.ofUser(System.getenv()).target(url, profile, System.getenv());
        } catch (MalformedTextException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns a URL to which paths are appended, so that it has no query and no fragment. The user of a URL would not
     * be sent; that part may be a password, so it is not printed either.
     *
     * @param option where it comes from, for the error
     */
    public static URI base(CommandSpec spec, String option, String url) {
        try {
            var base = URI.create(url.replaceFirst("/+$", ""));
            if (base.getHost() != null
                    && String.valueOf(base.getScheme()).matches("https?")
                    && base.getPort() <= MAX_PORT
                    && base.getRawUserInfo() == null
                    && base.getRawQuery() == null
                    && base.getRawFragment() == null) {
                return base;
            }
        } catch (IllegalArgumentException _) {
            // Reported below.
        }
        throw new ParameterException(
                spec.commandLine(),
                option + " must be like http://127.0.0.1:8080, without a user, a query or a fragment, not '"
                        + url.replaceFirst("(?s)^.*@", "...@").replaceFirst("(?s)[?#].*$", "?...") + "'.");
    }

    private String token(CommandSpec spec, ServerTarget target) {
        var file = tokenFile != null ? tokenFile : target.tokenFile();
        var given = file == null ? target.token() : read(spec, file);
        var token = given == null ? "" : given.strip();
        if (token.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "An API key is required: set TE_TOKEN, or name a file with --token-file.");
        }
        // Other characters are not valid in a header, and the exception would show the key.
        if (!token.matches("[!-~]+")) {
            throw new ParameterException(
                    spec.commandLine(), "The API key must be visible ASCII characters without spaces.");
        }
        return token;
    }

    private static String read(CommandSpec spec, Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException _) {
            throw new ParameterException(spec.commandLine(), "The file " + file + " cannot be read.");
        }
    }
}
