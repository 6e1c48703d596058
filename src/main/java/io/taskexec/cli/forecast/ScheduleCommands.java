package io.taskexec.cli.forecast;

import io.taskexec.cli.text.CliCommand;
import picocli.CommandLine.Command;

/** Groups the commands for all schedules of a server; those for one of them are commands for jobs. */
@Command(name = "schedules", description = "Spread schedules that start together.", subcommands = SpreadCommand.class)
public final class ScheduleCommands extends CliCommand {
    @Override
    public Integer call() {
        throw invalid("A command is missing: spread.");
    }
}
