package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.InputText;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/** Writes a secret. The value is never an argument, since other users can see those and shells store them. */
final class SecretWrite extends ServerCommand {
    @Parameters(paramLabel = "NAME", description = "Name of the secret.")
    private String name = "";

    private final boolean replaces;

    private SecretWrite(boolean replaces) {
        this.replaces = replaces;
    }

    static CommandLine create() {
        return describe(
                new SecretWrite(false), "Create a secret; the value is read from the standard input, or asked for.");
    }

    static CommandLine set() {
        return describe(
                new SecretWrite(true),
                "Create or replace a secret; the value is read from the standard input, or asked for.");
    }

    @Override
    public Integer call() {
        name = Nouns.SECRETS.bare(name);
        var value = value();
        return callServer(client -> {
            var json = JsonNodeFactory.instance;
            var path = Nouns.SECRETS.one(name).toString();
            var known = replaces && client.find(path) != null;
            var _ = known
                    ? client.put(path, json.objectNode().put("value", value), null)
                    : client.post(
                            Nouns.SECRETS.path(),
                            json.objectNode().put("name", name).put("value", value));
            println("secret " + name + (known ? " is replaced." : " is created."));
            return ExitCode.DONE;
        });
    }

    /** Error Prone warns of JDK 22 to 24, where a console exists even when the output is a file. */
    @SuppressWarnings("SystemConsoleNull")
    private String ask() {
        var console = System.console();
        if (console == null) {
            throw invalid("Pass the value on the standard input: there is no terminal to ask on.");
        }
        var typed = console.readPassword("Value of %s (not shown): ", name);
        return typed == null ? "" : new String(typed);
    }

    private String value() {
        if (Terminal.isInputTyped()) {
            return ask();
        }
        try {
            // The line feed at the end of a file is not part of the value.
            return InputText.read(InputText.STANDARD_INPUT).replaceFirst("\\r?\\n\\z", "");
        } catch (MalformedTextException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }
}
