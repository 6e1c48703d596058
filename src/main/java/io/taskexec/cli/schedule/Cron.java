package io.taskexec.cli.schedule;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Schedules, without a server. */
@Command(
        name = "cron",
        description = "Explains schedules, without a server.",
        mixinStandardHelpOptions = true,
        subcommands = CronNext.class)
public final class Cron implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do: next.");
    }
}
