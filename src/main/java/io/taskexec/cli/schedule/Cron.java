package io.taskexec.cli.schedule;

import io.taskexec.cli.text.CliCommand;
import picocli.CommandLine.Command;

/** Groups the commands for schedules that need no server. */
@Command(name = "cron", description = "Explain schedules; uses no server.", subcommands = CronNext.class)
public final class Cron extends CliCommand {
    @Override
    public Integer call() {
        throw invalid("A command is missing: next.");
    }
}
