package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.Durations;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerOptions;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the key alone to the standard output, so that a script can take it, and what is to be said of it beside that. */
@Command(
        name = "create",
        description = "Creates a key and prints it, which happens only once.",
        mixinStandardHelpOptions = true)
final class KeyCreate implements Callable<Integer> {
    @Option(names = "--name", required = true, description = "What the audit log calls whoever uses the key.")
    private String name = "";

    @Option(
            names = "--scopes",
            required = true,
            split = ",",
            description = "What the key may do: read, jobs or admin, each of which includes the one before.")
    private List<String> scopes = List.of();

    @Option(names = "--expires-in", description = "How long the key is valid, such as 30d; for ever when left out.")
    private @Nullable String expiresIn;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        return server.call(spec, client -> {
            var request = JsonNodeFactory.instance.objectNode().put("name", name);
            scopes.forEach(request.putArray("scopes")::add);
            if (expiresIn != null) {
                request.put("expires_in", Durations.iso(expiresIn));
            }
            var key = client.post(Nouns.KEYS.path(), request);
            var expiry = key.path("expires_at").asText("never");
            var console = spec.commandLine();
            console.getErr()
                    .printf(
                            "Key %s for '%s' is created and expires %s. It is not shown again:%n",
                            key.path("key_id").asText(), name, expiry.equals("never") ? expiry : "at " + expiry);
            console.getErr().flush();
            console.getOut().println(key.path("key").asText());
            console.getOut().flush();
            return ExitCode.DONE;
        });
    }
}
