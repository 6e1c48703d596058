package io.taskexec.command;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the chosen roles on the database that TE_DATABASE_URL names. */
@Command(name = "serve", description = "Run the roles of this process (the default).", mixinStandardHelpOptions = true)
public final class ServeCommand implements Callable<Integer> {
    @Mixin
    private @Nullable ServeOptions options;

    @Override
    public Integer call() {
        return ServeOptions.serve(options);
    }
}
