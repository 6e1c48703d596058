package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** An endpoint, of a file, or with options when it is a plain one for HTTP. */
@Command(
        mixinStandardHelpOptions = true,
        description = "Registers an HTTP endpoint with options, or any endpoints that a file describes.")
final class EndpointCreate implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "NAME", description = "What the endpoint is called; without -f.")
    private @Nullable String name;

    @Option(names = "--to", paramLabel = "URL", description = "What is called; a template.")
    private @Nullable String target;

    @Option(names = "--method", defaultValue = "POST", description = "How; default: ${DEFAULT-VALUE}.")
    private String method = "";

    @Option(names = "--body", paramLabel = "JSON", description = "The body; its strings are templates.")
    private @Nullable String body;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "NAME=VALUE",
            description = "A header; its value is a template.")
    private Map<String, String> headers = new LinkedHashMap<>();

    @Option(names = "--config", description = "The config that templates use.")
    private @Nullable String config;

    @Option(names = "--payload-spec", paramLabel = "NAME", description = "The payload spec that inputs must match.")
    private @Nullable String payloadSpec;

    @Option(names = "--queue", description = "Where its jobs wait.")
    private @Nullable String queue;

    @Option(names = "--attempts", paramLabel = "N", description = "How often it is tried at most.")
    private @Nullable Integer attempts;

    @Mixin
    private Creation creation = new Creation();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    static CommandLine line() {
        return new CommandLine(new EndpointCreate());
    }

    @Override
    public Integer call() {
        if (creation.hasFile() == (name != null)) {
            throw new ParameterException(
                    spec.commandLine(), "Say either a NAME with --to URL, or a file with -f, which describes it all.");
        }
        if (creation.hasFile()) {
            return creation.fromFile(Nouns.ENDPOINTS, spec);
        }
        if (target == null) {
            throw new ParameterException(spec.commandLine(), "--to must say the URL that is called.");
        }
        return creation.one(Nouns.ENDPOINTS, spec, endpoint());
    }

    private ObjectNode endpoint() {
        var endpoint = JsonNodeFactory.instance.objectNode().put("name", name).put("type", "HTTP");
        put(endpoint, "config", config);
        put(endpoint, "payload_spec", payloadSpec);
        put(endpoint, "queue", queue);
        var call = endpoint.putObject("spec").put("url", target).put("method", method.toUpperCase(Locale.ROOT));
        if (!headers.isEmpty()) {
            headers.forEach(call.putObject("headers")::put);
        }
        if (body != null) {
            call.set("body_template", JsonOption.read(spec, "--body", body));
        }
        if (attempts != null) {
            endpoint.putObject("retry_policy").put("max_attempts", attempts);
        }
        return endpoint;
    }

    private static void put(ObjectNode endpoint, String field, @Nullable String value) {
        if (value != null) {
            endpoint.put(field, value);
        }
    }
}
