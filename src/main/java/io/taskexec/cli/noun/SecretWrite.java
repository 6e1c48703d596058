package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.InputText;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerOptions;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A secret, whose value is never an argument: others on the machine can see those, and shells keep them. */
@Command(mixinStandardHelpOptions = true)
final class SecretWrite implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "What the secret is called.")
    private String name = "";

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final boolean replaces;

    private SecretWrite(boolean replaces) {
        this.replaces = replaces;
    }

    static CommandLine create() {
        return line(
                new SecretWrite(false), "Creates a secret; the value is read from the standard input, or asked for.");
    }

    static CommandLine set() {
        return line(
                new SecretWrite(true),
                "Creates a secret or gives it another value, which is read from the standard input, or asked for.");
    }

    private static CommandLine line(SecretWrite command, String description) {
        var line = new CommandLine(command);
        var _ = line.getCommandSpec().usageMessage().description(description);
        return line;
    }

    @Override
    public Integer call() {
        var value = value();
        return server.call(spec, client -> {
            var json = JsonNodeFactory.instance;
            var path = Nouns.SECRETS.one(name).toString();
            var known = replaces && client.find(path) != null;
            var _ = known
                    ? client.put(path, json.objectNode().put("value", value), null)
                    : client.post(
                            Nouns.SECRETS.path(),
                            json.objectNode().put("name", name).put("value", value));
            spec.commandLine().getOut().println("secret " + name + (known ? " has another value." : " is created."));
            spec.commandLine().getOut().flush();
            return ExitCode.DONE;
        });
    }

    /** Error Prone knows the JDK before 25, in which there was a console even where the output goes to a file. */
    @SuppressWarnings("SystemConsoleNull")
    private String typed() {
        var console = System.console();
        if (console == null) {
            throw new ParameterException(
                    spec.commandLine(), "Give the value on the standard input: nothing can be asked for here.");
        }
        var typed = console.readPassword("Value of %s (not shown): ", name);
        return typed == null ? "" : new String(typed);
    }

    private String value() {
        if (Terminal.isInputTyped()) {
            return typed();
        }
        try {
            // What ends the line of an echo or a file is not meant.
            return InputText.read(InputText.STANDARD_INPUT).replaceFirst("\\r?\\n\\z", "");
        } catch (MalformedTextException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
