package io.taskexec.cli.live;

import io.taskexec.cli.ColorOption;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerOptions;
import io.taskexec.cli.text.KeyPresses;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.Screen;
import io.taskexec.cli.text.Terminal;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A live view of a server. */
@Command(
        name = "top",
        description =
                "Shows what a server does, anew every second: rates, queues, open breakers, what runs and what failed.",
        mixinStandardHelpOptions = true)
public final class Top implements Callable<Integer> {
    private static final Duration BETWEEN_KEYS = Duration.ofMillis(100);
    private static final int KEYS_IN_A_FRAME = 10;
    private static final int BREAKERS_IN_A_FRAME = 20;

    @Option(names = "--once", description = "Show it once, without rates, and end.")
    private boolean once;

    @Mixin
    private ColorOption color = new ColorOption();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        return server.call(spec, client -> once ? showOnce(client) : show(client));
    }

    private int showOnce(ServerClient client) throws RefusedException, IOException, InterruptedException {
        var terminal = Terminal.ofOutput();
        var snapshot = new Watcher(client, null, Integer.MAX_VALUE).look();
        var out = spec.commandLine().getOut();
        Frame.of(snapshot, terminal.width(), Terminal.UNBOUNDED, color.ink(terminal))
                .forEach(out::println);
        out.flush();
        return ExitCode.DONE;
    }

    private int show(ServerClient client) throws RefusedException, IOException {
        try (var rates = EventRates.start(client);
                var keys = KeyPresses.open()) {
            var watcher = new Watcher(client, rates, BREAKERS_IN_A_FRAME);
            var screen = new Screen(spec.commandLine().getOut());
            do {
                var terminal = Terminal.ofOutput();
                screen.show(frame(watcher, client, terminal), terminal.height());
            } while (!isOver(keys));
        } catch (InterruptedException _) {
            // The end that was asked for.
        }
        return ExitCode.DONE;
    }

    /** A server that is away for a while is no reason to end. */
    private List<String> frame(Watcher watcher, ServerClient client, Terminal terminal)
            throws RefusedException, IOException, InterruptedException {
        try {
            return Frame.of(watcher.look(), terminal.width(), terminal.height(), color.ink(terminal));
        } catch (IOException e) {
            if (e.getCause() instanceof InterruptedException) {
                throw e;
            }
            return trouble("There is no answer from " + client.base() + ": " + e.getMessage() + ".", terminal);
        } catch (RefusedException e) {
            if (!e.isPassing()) {
                throw e;
            }
            return trouble(client.base() + " refuses: " + e.getMessage(), terminal);
        }
    }

    private static List<String> trouble(String sentence, Terminal terminal) {
        return List.of(PlainLine.shorten(PlainLine.of(sentence + " Trying again."), terminal.width()));
    }

    /** Waits for the next frame; tells whether somebody wants none. */
    private static boolean isOver(KeyPresses keys) throws IOException, InterruptedException {
        for (var i = 0; i < KEYS_IN_A_FRAME; i++) {
            if (keys.hasBeenPressed('q')) {
                return true;
            }
            Thread.sleep(BETWEEN_KEYS);
        }
        return false;
    }
}
