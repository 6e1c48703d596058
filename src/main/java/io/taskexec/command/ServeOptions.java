package io.taskexec.command;

import io.taskexec.server.Server;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code serve}, which is also what the program does without a command. */
public final class ServeOptions {
    @Option(names = "--roles", paramLabel = "ROLE[,ROLE...]", description = "api, worker and scheduler; default: all.")
    private @Nullable String roles;

    public static int serve(@Nullable ServeOptions options) {
        apply(options);
        return Server.serve();
    }

    /** Makes settings of them, which come before those of the environment. */
    static void apply(@Nullable ServeOptions options) {
        if (options != null && options.roles != null) {
            System.setProperty("te.roles", options.roles);
        }
    }
}
