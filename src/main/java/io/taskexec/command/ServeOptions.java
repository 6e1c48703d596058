package io.taskexec.command;

import io.taskexec.clock.ClockMode;
import io.taskexec.server.Server;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code serve}, which is also what the program does without a command. */
public final class ServeOptions {
    @Option(names = "--roles", paramLabel = "ROLE[,ROLE...]", description = "api, worker and scheduler; default: all.")
    private @Nullable String roles;

    public static int serve(@Nullable ServeOptions options) {
        return Server.serve(settings(options));
    }

    /** Returns them as settings, which come before those of the environment. */
    static Map<String, String> settings(@Nullable ServeOptions options) {
        // So that no variable of the environment switches on what only another command has.
        var settings = Map.of(ClockMode.PROPERTY, ClockMode.NONE.name());
        if (options == null || options.roles == null) {
            return settings;
        }
        var withRoles = new HashMap<>(settings);
        withRoles.put("te.roles", options.roles);
        return withRoles;
    }
}
