package io.taskexec.cli.receiver;

import io.taskexec.secret.WebhookKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options for the key of signatures. */
final class WebhookKeyOptions {
    private static final String VARIABLE = "TE_WEBHOOK_SECRET";

    @Option(
            names = "--secret",
            paramLabel = "KEY",
            description =
                    "The key of signatures: whsec_..., or whpk_... for ed25519. Others on this machine can see it.")
    private @Nullable String secret;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "File with the key; TE_WEBHOOK_SECRET is the alternative.")
    private @Nullable Path file;

    /** Returns the key; null when it is not set. */
    @Nullable
    WebhookKey find(CommandSpec spec) {
        if (secret != null && file != null) {
            throw new ParameterException(spec.commandLine(), "Set either --secret or --secret-file.");
        }
        var text = secret != null ? secret : file != null ? read(spec, file) : System.getenv(VARIABLE);
        try {
            return text == null || text.isBlank() ? null : WebhookKey.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "The key " + e.getMessage() + ".");
        }
    }

    private static String read(CommandSpec spec, Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException _) {
            throw new ParameterException(spec.commandLine(), "The file " + file + " cannot be read.");
        }
    }
}
