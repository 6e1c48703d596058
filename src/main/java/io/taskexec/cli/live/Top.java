package io.taskexec.cli.live;

import io.taskexec.cli.ColorOption;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.RawInput;
import io.taskexec.cli.text.Screen;
import io.taskexec.cli.text.Terminal;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows a live view of a server. */
@Command(
        name = "top",
        description = "Show a live view of a server: rates, queues, workers, endpoints, breakers and executions.")
public final class Top extends ServerCommand {
    private static final Duration BETWEEN_KEYS = Duration.ofMillis(100);
    private static final int KEYS_IN_A_FRAME = 10;

    @Option(names = "--once", description = "Print one snapshot without rates of events.")
    private boolean once;

    @Mixin
    private ColorOption color = new ColorOption();

    @Override
    public Integer call() {
        return callServer(client -> once ? showOnce(client) : show(client));
    }

    private int showOnce(ServerClient client) throws IOException, InterruptedException {
        var terminal = Terminal.ofOutput();
        var snapshot = new SnapshotReader(client, null).read();
        var out = spec().commandLine().getOut();
        TopFrame.of(client.base().toString(), snapshot, terminal.width(), Terminal.UNBOUNDED, color.style(terminal))
                .forEach(out::println);
        out.flush();
        return ExitCode.DONE;
    }

    private int show(ServerClient client) throws IOException {
        try (var rates = EventRates.start(client);
                var keys = RawInput.open()) {
            var reader = new SnapshotReader(client, rates);
            var out = spec().commandLine().getOut();
            var screen = new Screen(out);
            do {
                var terminal = Terminal.ofOutput();
                screen.show(frame(reader, client, terminal), terminal.height());
            } while (!out.checkError() && !isQuit(keys));
        } catch (InterruptedException _) {
            // Interrupted by the user.
        }
        return ExitCode.DONE;
    }

    /** The view goes on while the server is unavailable. */
    private List<String> frame(SnapshotReader reader, ServerClient client, Terminal terminal)
            throws IOException, InterruptedException {
        try {
            return TopFrame.of(
                    client.base().toString(),
                    reader.read(),
                    terminal.width(),
                    terminal.height(),
                    color.style(terminal));
        } catch (RefusedException e) {
            if (!e.isTransient()) {
                throw e;
            }
            return errorLine(client.base() + " refuses: " + e.getMessage(), terminal);
        } catch (IOException e) {
            if (e.getCause() instanceof InterruptedException) {
                throw e;
            }
            return errorLine("No answer from " + client.base() + ": " + e.getMessage() + ".", terminal);
        }
    }

    private static List<String> errorLine(String sentence, Terminal terminal) {
        return List.of(PlainLine.shorten(PlainLine.of(sentence + " Trying again."), terminal.width()));
    }

    /** Waits for the next frame; returns true when the user quits. */
    private static boolean isQuit(RawInput keys) throws IOException, InterruptedException {
        for (var i = 0; i < KEYS_IN_A_FRAME; i++) {
            if (keys.hasBeenPressed('q')) {
                return true;
            }
            Thread.sleep(BETWEEN_KEYS);
        }
        return false;
    }
}
