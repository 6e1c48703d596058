package io.taskexec.command;

import io.taskexec.config.IgnoredSettings;
import io.taskexec.config.Settings;
import io.taskexec.config.StartupChecks;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what a server would be started with. */
@Command(
        name = "config",
        description = "Print the settings as they take effect, with secrets masked, and where each comes from."
                + " Needs no database. Ends with 0, or with 2 and a sentence when one of them is wrong.",
        mixinStandardHelpOptions = true)
public final class ConfigCommand implements Callable<Integer> {
    @Mixin
    private @Nullable ServeOptions options;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "TABLE",
            description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private Output output = Output.TABLE;

    @Option(
            names = {"-v", "--verbose"},
            description = "Also says what each setting is for.")
    private boolean verbose;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** The formats of the output. */
    enum Output {
        TABLE,
        JSON,
        YAML
    }

    @Override
    public Integer call() {
        var settings = Settings.read(ServeOptions.settings(options));
        StartupChecks.checkValues(settings);
        IgnoredSettings.warnings(settings).forEach(spec.commandLine().getErr()::println);
        var report = new ConfigReport(settings.effective(), verbose);
        spec.commandLine()
                .getOut()
                .print(
                        switch (output) {
                            case TABLE -> report.table();
                            case JSON -> report.json();
                            case YAML -> report.yaml();
                        });
        spec.commandLine().getOut().flush();
        return 0;
    }
}
