package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.Durations;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.model.OperationSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Creates an API key. Only the key goes to the standard output, for scripts; the message goes to the standard error.
 */
@Command(name = "create", description = OperationSummary.CREATE_KEY + " It is printed once.")
final class KeyCreate extends ServerCommand {
    @Option(names = "--name", required = true, description = "Name of the key in the audit log.")
    private String name = "";

    @Option(
            names = {"--scopes", "--scope"},
            required = true,
            split = ",",
            description = "Scopes: read, jobs, adhoc or admin, each of which includes the one before; work for pull"
                    + " workers.")
    private List<String> scopes = List.of();

    @Option(
            names = "--endpoint",
            description = "With the scope work: an endpoint that it may work for; may be repeated. Default: all.")
    private List<String> endpoints = List.of();

    @Option(names = "--expires-in", description = "Validity, such as 30d; without it the key does not expire.")
    private @Nullable String expiresIn;

    @Override
    public Integer call() {
        return callServer(client -> {
            var request = JsonNodeFactory.instance.objectNode().put("name", name);
            scopes.forEach(request.putArray("scopes")::add);
            if (!endpoints.isEmpty()) {
                endpoints.stream().map(Nouns.ENDPOINTS::bare).forEach(request.putArray("endpoints")::add);
            }
            if (expiresIn != null) {
                request.put("expires_in", Durations.iso(expiresIn));
            }
            var key = client.post(Nouns.KEYS.path(), request);
            var expiry = key.path("expires_at").asText("never");
            warn("Key %s for '%s' is created and expires %s. It is not shown again:"
                    .formatted(key.path("key_id").asText(), name, expiry.equals("never") ? expiry : "at " + expiry));
            println(key.path("key").asText());
            return ExitCode.DONE;
        });
    }
}
