package io.taskexec.cli.receiver;

import io.taskexec.cli.Durations;
import io.taskexec.cli.IgnoredOptions;
import io.taskexec.cli.text.CliCommand;
import io.taskexec.secret.WebhookKey;
import io.taskexec.secret.WebhookVerifier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks the signature of a received request. */
@Command(
        name = "verify",
        description = "Check the signature of a delivery, whose body is read from the standard input.")
public final class Verify extends CliCommand {
    private static final int NOT_VALID = 1;

    @Mixin
    private WebhookKeyOptions key = new WebhookKeyOptions();

    @Option(names = "--id", description = "The value of the header webhook-id.")
    private @Nullable String id;

    @Option(names = "--timestamp", description = "The value of the header webhook-timestamp.")
    private @Nullable String timestamp;

    @Option(names = "--signature", description = "The value of the header webhook-signature.")
    private @Nullable String signature;

    @Option(
            names = "--headers",
            paramLabel = "FILE",
            description = "A file with all headers instead, each in a line as name: value.")
    private @Nullable Path headers;

    @Option(names = "--body", paramLabel = "FILE", description = "A file with the body, instead of the standard input.")
    private @Nullable Path body;

    @Option(
            names = "--tolerance",
            defaultValue = "5m",
            paramLabel = "DURATION",
            description = "Maximum difference of the timestamp from now, such as 90s or 5m (${DEFAULT-VALUE}).")
    private String tolerance = "";

    @Option(names = "--no-tolerance", description = "Accept any timestamp, as for a stored request.")
    private boolean noTolerance;

    @Override
    public Integer call() {
        if (noTolerance) {
            IgnoredOptions.refuse(spec(), Set.of("--tolerance"), "with --no-tolerance");
        }
        var verifier = new WebhookVerifier(key(), noTolerance ? null : tolerance());
        var problem = verifier.problem(signed(), body(), Instant.now());
        if (problem == null) {
            println("The signature is valid.");
        } else {
            warn(problem);
        }
        return problem == null ? 0 : NOT_VALID;
    }

    private WebhookKey key() {
        var given = key.find(spec());
        if (given == null) {
            throw invalid("A key is needed: --secret, --secret-file or TE_WEBHOOK_SECRET.");
        }
        return given;
    }

    private Duration tolerance() {
        var given = Durations.parse(tolerance);
        if (given == null || given.isNegative()) {
            throw invalid("--tolerance must be a duration such as 90s or 5m, not '" + tolerance + "'.");
        }
        return given;
    }

    private WebhookVerifier.Headers signed() {
        var file = headers;
        if (file == null && id != null && timestamp != null && signature != null) {
            return new WebhookVerifier.Headers(id, timestamp, signature);
        }
        if (file == null || id != null || timestamp != null || signature != null) {
            throw invalid("Set either --id, --timestamp and --signature, or --headers.");
        }
        try {
            var signed = SignedHeaders.of(Files.readAllLines(file));
            if (signed != null) {
                return signed;
            }
        } catch (IOException _) {
            throw invalid("The file " + file + " cannot be read.");
        }
        throw invalid(
                "The file " + file + " has not all of webhook-id, webhook-timestamp and webhook-signature, each once.");
    }

    private byte[] body() {
        try (var input = body == null ? System.in : Files.newInputStream(body)) {
            return read(input);
        } catch (IOException _) {
            throw invalid("The body cannot be read.");
        }
    }

    private byte[] read(InputStream input) throws IOException {
        var bytes = input.readNBytes(SignedHeaders.MAX_BODY + 1);
        if (bytes.length > SignedHeaders.MAX_BODY) {
            throw invalid("The body has more than " + SignedHeaders.MAX_BODY + " bytes.");
        }
        return bytes;
    }
}
