package io.taskexec.cli.client;

import io.taskexec.cli.text.CliCommand;
import picocli.CommandLine.Mixin;

/** Base class of commands that send requests to a server. */
public abstract class ServerCommand extends CliCommand {
    @Mixin
    private ServerOptions server = new ServerOptions();

    /** Runs a task with a client of the server; returns the exit code. */
    protected final int callServer(ServerOptions.Task task) {
        return server.call(spec(), task);
    }
}
