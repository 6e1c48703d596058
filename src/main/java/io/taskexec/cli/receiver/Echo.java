package io.taskexec.cli.receiver;

import io.taskexec.secret.WebhookVerifier;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A receiver for trying things out: shows what taskexec delivers, and answers as it is told. */
@Command(
        name = "echo",
        description = "Prints and counts the HTTP requests that arrive.",
        mixinStandardHelpOptions = true)
public final class Echo implements Callable<Integer> {
    private static final int USAGE_ERROR = 2;

    @Option(names = "--port", defaultValue = "9999", description = "Port to listen on, 0 for any (${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "--host", defaultValue = "127.0.0.1", description = "Address to listen on (${DEFAULT-VALUE}).")
    private String host = "";

    @Option(names = "--status", defaultValue = "200", description = "Status to answer with (${DEFAULT-VALUE}).")
    private int status;

    @Option(names = "--delay-ms", defaultValue = "0", description = "Time to wait before answering (${DEFAULT-VALUE}).")
    private int delayMs;

    @Option(names = "--quiet", description = "Count the requests, print nothing of them.")
    private boolean quiet;

    @Mixin
    private WebhookKeyOptions key = new WebhookKeyOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Listens until the process is asked to end or the thread is interrupted. */
    @Override
    public Integer call() throws IOException {
        check("--port", port, 0, 65_535);
        check("--status", status, 200, 599);
        check("--delay-ms", delayMs, 0, Integer.MAX_VALUE);
        var out = spec.commandLine().getOut();
        var given = key.find(spec);
        var verifier = given == null ? null : new WebhookVerifier(given, WebhookVerifier.USUAL_TOLERANCE);
        var answer = new EchoServer.Answer(status, Duration.ofMillis(delayMs));
        try (var server = EchoServer.start(
                host,
                port,
                answer,
                verifier,
                quiet
                        ? _ -> {}
                        : request -> {
                            out.print(request.describe());
                            out.flush();
                        })) {
            out.println("Listening on http://" + host + ":" + server.port() + " (Ctrl-C stops)");
            out.flush();
            server.awaitEnd(count -> {
                out.println(count + (count == 1 ? " request" : " requests"));
                out.flush();
            });
        } catch (BindException e) {
            spec.commandLine().getErr().println("Cannot listen on " + host + ":" + port + ": " + e.getMessage() + ".");
            return USAGE_ERROR;
        }
        return 0;
    }

    private void check(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(), option + " must be between " + least + " and " + most + ", not " + value + ".");
        }
    }
}
