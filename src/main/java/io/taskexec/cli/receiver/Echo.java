package io.taskexec.cli.receiver;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.text.CliCommand;
import io.taskexec.secret.WebhookVerifier;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a receiver for tests: prints deliveries, and returns a fixed answer. */
@Command(name = "echo", description = "Print and count the HTTP requests that arrive.")
public final class Echo extends CliCommand {
    @Option(names = "--port", defaultValue = "9999", description = "Port to listen on, 0 for any (${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "--host", defaultValue = "127.0.0.1", description = "Address to listen on (${DEFAULT-VALUE}).")
    private String host = "";

    @Option(names = "--status", defaultValue = "200", description = "Status to answer with (${DEFAULT-VALUE}).")
    private int status;

    @Option(names = "--delay-ms", defaultValue = "0", description = "Time to wait before answering (${DEFAULT-VALUE}).")
    private int delayMs;

    @Option(names = "--quiet", description = "Count requests without printing them.")
    private boolean quiet;

    @Mixin
    private WebhookKeyOptions key = new WebhookKeyOptions();

    /** Listens until the process ends or the thread is interrupted. */
    @Override
    public Integer call() throws IOException {
        check("--port", port, 0, 65_535);
        check("--status", status, 200, 599);
        check("--delay-ms", delayMs, 0, Integer.MAX_VALUE);
        var given = key.find(spec());
        var verifier = given == null ? null : new WebhookVerifier(given, WebhookVerifier.USUAL_TOLERANCE);
        var reply = new EchoServer.Reply(status, Duration.ofMillis(delayMs));
        Consumer<EchoRequest> receiver = quiet ? _ -> {} : request -> print(request.describe());
        try (var server = EchoServer.start(host, port, reply, verifier, receiver)) {
            println("Listening on http://" + host + ":" + server.port() + " (Ctrl-C stops)");
            server.awaitEnd(count -> println(count + (count == 1 ? " request" : " requests")));
        } catch (SocketException e) {
            warn("Cannot listen on " + host + ":" + port + ": " + e.getMessage() + ".");
            return ExitCode.USAGE;
        }
        return 0;
    }

    private void check(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw invalid(option + " must be between " + min + " and " + max + ", not " + value + ".");
        }
    }
}
