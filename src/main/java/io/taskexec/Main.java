package io.taskexec;

import io.quarkus.runtime.annotations.QuarkusMain;
import io.taskexec.cli.Completion;
import io.taskexec.cli.Cron;
import io.taskexec.cli.Echo;
import io.taskexec.cli.Verify;
import io.taskexec.cli.apply.Apply;
import io.taskexec.cli.live.Logs;
import io.taskexec.cli.live.Top;
import io.taskexec.cli.noun.NounCommands;
import io.taskexec.cli.text.TerminalWriter;
import io.taskexec.embedded.DataDirectoryInUseException;
import io.taskexec.embedded.EmbeddedDatabaseException;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line. */
@QuarkusMain
@Command(
        name = "taskexec",
        description = "A durable task executor: setTimeout and setInterval as a service.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            ServeCommand.class,
            DevCommand.class,
            MigrateCommand.class,
            CheckCommand.class,
            ConfigCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            Echo.class,
            Cron.class,
            Verify.class,
            Apply.class,
            Logs.class,
            Top.class,
            Completion.class
        })
public final class Main implements Callable<Integer> {
    private static final Set<String> WITHOUT_NOUNS =
            Set.of("serve", "dev", "migrate", "check", "echo", "verify", "cron", "--version", "-V");

    @Mixin
    private @Nullable ServeOptions options;

    private Main() {}

    /** Runs one command; its result is the process's exit code. */
    public static void main(String[] args) {
        var program = isWithoutNouns(args) ? configured(new CommandLine(new Main())) : commandLine();
        System.exit(program.execute(args));
    }

    /** All commands; nothing of the server is started for those that are none. */
    public static CommandLine commandLine() {
        var program = new CommandLine(new Main());
        NounCommands.addTo(program);
        return configured(program);
    }

    /** There are many nouns with many verbs, which a server that starts need not wait for. */
    private static boolean isWithoutNouns(String... args) {
        return args.length == 0 || args[0].startsWith("--roles") || WITHOUT_NOUNS.contains(args[0]);
    }

    private static CommandLine configured(CommandLine program) {
        return program.setOut(TerminalWriter.ofOutput(program.getOut()))
                .setErr(TerminalWriter.ofErrors(program.getErr()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                // @hourly is a schedule, not a file with arguments.
                .setExpandAtFiles(false)
                .setExecutionExceptionHandler(Main::explain);
    }

    @Override
    public Integer call() {
        return ServeOptions.serve(options);
    }

    private static int explain(Exception failure, CommandLine command, CommandLine.ParseResult parsed)
            throws Exception {
        if (failure instanceof StartRefusedException
                || failure instanceof DataDirectoryInUseException
                || failure instanceof EmbeddedDatabaseException) {
            command.getErr().println(failure.getMessage());
            return Server.REFUSED;
        }
        throw failure;
    }
}
