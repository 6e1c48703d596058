package io.taskexec;

import io.quarkus.runtime.annotations.QuarkusMain;
import io.taskexec.cli.Cron;
import io.taskexec.cli.Echo;
import io.taskexec.cli.Keys;
import io.taskexec.cli.Verify;
import io.taskexec.embedded.DataDirectoryInUseException;
import io.taskexec.embedded.EmbeddedDatabaseException;
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
            Echo.class,
            Keys.class,
            Cron.class,
            Verify.class
        })
public final class Main implements Callable<Integer> {
    @Mixin
    private @Nullable ServeOptions options;

    private Main() {}

    /** Runs one command; its result is the process's exit code. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                // @hourly is a schedule, not a file with arguments.
                .setExpandAtFiles(false)
                .setExecutionExceptionHandler(Main::explain)
                .execute(args));
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
