package io.taskexec;

import io.quarkus.runtime.annotations.QuarkusMain;
import io.taskexec.cli.Commands;
import io.taskexec.cli.Completion;
import io.taskexec.cli.Help;
import io.taskexec.cli.OutputFormat;
import io.taskexec.cli.VersionCommand;
import io.taskexec.cli.apply.Apply;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.convert.Convert;
import io.taskexec.cli.forecast.ForecastCommand;
import io.taskexec.cli.forecast.ScheduleCommands;
import io.taskexec.cli.live.Logs;
import io.taskexec.cli.live.Top;
import io.taskexec.cli.noun.NounCommands;
import io.taskexec.cli.receiver.Echo;
import io.taskexec.cli.receiver.Verify;
import io.taskexec.cli.schedule.ClockCommand;
import io.taskexec.cli.schedule.Cron;
import io.taskexec.cli.text.TerminalWriter;
import io.taskexec.command.CheckCommand;
import io.taskexec.command.ConfigCommand;
import io.taskexec.command.DevCommand;
import io.taskexec.command.MigrateCommand;
import io.taskexec.command.ReplayCommand;
import io.taskexec.command.SecretsRekeyCommand;
import io.taskexec.command.ServeCommand;
import io.taskexec.command.ServeOptions;
import io.taskexec.config.StartRefusedException;
import io.taskexec.config.Version;
import io.taskexec.embedded.DataDirectoryInUseException;
import io.taskexec.embedded.EmbeddedDatabaseException;
import io.taskexec.server.Server;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line. */
@QuarkusMain
@Command(
        name = "taskexec",
        description = "A durable task executor: setTimeout and setInterval as a service.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class Main implements Callable<Integer> {
    /** These look at all commands. */
    private static final Set<String> ABOUT_COMMANDS = Set.of("help", "completion");

    /** These run to serve, so that they end in the same way when their output cannot be written. */
    private static final Set<Class<?>> SERVERS = Set.of(Main.class, ServeCommand.class, DevCommand.class);

    /** The character that a JVM puts in place of bytes that are not text in the locale. */
    private static final char UNREADABLE = '\uFFFD';

    @Mixin
    private @Nullable ServeOptions options;

    private Main() {}

    /** Runs one command; its result is the process's exit code. */
    public static void main(String[] args) {
        System.exit(commandLine(List.of(args)).execute(args));
    }

    /** The program with those of its commands that these words need. Client commands start nothing of the server. */
    public static CommandLine commandLine(List<String> words) {
        var program = new CommandLine(new Main());
        var commands = commands();
        if (!words.isEmpty() && ABOUT_COMMANDS.contains(words.getFirst())) {
            var _ = commands.addAll(program);
        } else if (!isServe(words) || commands.isNamedIn(words)) {
            var _ = commands.addNamed(program, words);
        }
        return configured(program);
    }

    /** Whether the words start the server, which takes options alone and needs no list of commands. */
    private static boolean isServe(List<String> words) {
        return words.isEmpty()
                || (words.getFirst().startsWith("-") && !words.contains("--help") && !words.contains("-h"));
    }

    private static Commands commands() {
        var commands = new Commands()
                .withObject("serve", ServeCommand::new)
                .withObject("dev", DevCommand::new)
                .withObject("migrate", MigrateCommand::new)
                .withObject("check", CheckCommand::new)
                .withObject("config", ConfigCommand::new)
                .withObject("echo", Echo::new)
                .withObject("cron", Cron::new)
                .withObject("verify", Verify::new)
                .withObject("apply", Apply::new)
                .withObject("convert", Convert::new)
                .withObject("replay", ReplayCommand::new)
                .withObject("logs", Logs::new)
                .withObject("top", Top::new)
                .withObject("forecast", ForecastCommand::new)
                .withObject("schedules", ScheduleCommands::new);
        ClockCommand.addTo(commands);
        NounCommands.addTo(commands, secrets -> secrets.withObject("rekey", SecretsRekeyCommand::new));
        return commands.withObject("completion", Completion::new)
                .withObject("help", Help::new)
                .withObject("version", VersionCommand::new);
    }

    private static CommandLine configured(CommandLine program) {
        // Unlike the writer of picocli, this one knows the stream, and so whether that could be written.
        var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        return program.setOut(TerminalWriter.ofOutput(out))
                .setErr(TerminalWriter.ofErrors(program.getErr()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(OutputFormat.class, OutputFormat::parse)
                // @hourly is a schedule, not a file with arguments.
                .setExpandAtFiles(false)
                .setExecutionStrategy(Main::run)
                .setParameterExceptionHandler(Main::refuse)
                .setExecutionExceptionHandler(Main::explain);
    }

    @Override
    public Integer call() {
        return ServeOptions.serve(options);
    }

    /** Whether the JVM reads arguments as UTF-8: then the character may be meant. */
    private static boolean isUtf8() {
        return "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding"));
    }

    /** Runs the command that was parsed. Without its output it has not done what it was asked for. */
    private static int run(CommandLine.ParseResult parsed) {
        var program = parsed.commandSpec().commandLine();
        if (!isUtf8() && parsed.originalArgs().stream().anyMatch(word -> word.indexOf(UNREADABLE) >= 0)) {
            throw new ParameterException(
                    program,
                    "An argument has characters that cannot be read in this locale: set LC_ALL=C.UTF-8, or another"
                            + " locale with UTF-8.");
        }
        var code = new CommandLine.RunLast().execute(parsed);
        if (code == ExitCode.DONE && !hasServed(parsed) && program.getOut().checkError()) {
            program.getErr().println("The output could not be written.");
            return ExitCode.REFUSED;
        }
        return code;
    }

    private static boolean hasServed(CommandLine.ParseResult parsed) {
        var words = parsed.asCommandLineList();
        var command = words.getLast().getCommandSpec().userObject();
        return SERVERS.contains(command.getClass())
                && words.stream().noneMatch(word -> word.isUsageHelpRequested() || word.isVersionHelpRequested());
    }

    /** Says what is wrong with the arguments; who wants the whole usage asks for it. */
    private static int refuse(ParameterException failure, String... arguments) {
        var command = failure.getCommandLine();
        var err = command.getErr();
        err.println(failure.getMessage());
        var _ = UnmatchedArgumentException.printSuggestions(failure, err);
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        err.flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
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
