package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.option.JsonFields;
import io.taskexec.cli.option.WaitOptions;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates a plain HTTP endpoint from options, or the endpoints of a file. */
@Command(description = "Register an HTTP endpoint with options, or any endpoints that a file describes.")
final class EndpointCreate extends ResourceCreate {
    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Name of the endpoint; not with -f.")
    private @Nullable String name;

    @Option(names = "--to", paramLabel = "URL", description = "URL; a template.")
    private @Nullable String url;

    @Option(names = "--method", defaultValue = "POST", description = "HTTP method; default: ${DEFAULT-VALUE}.")
    private String method = "";

    @Option(names = "--body", paramLabel = "JSON", description = "Body; its strings are templates.")
    private @Nullable String body;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "NAME=VALUE",
            description = "Header; its value is a template.")
    private Map<String, String> headers = new LinkedHashMap<>();

    @Option(names = "--config", description = "Config for the templates.")
    private @Nullable String config;

    @Option(names = "--payload-spec", paramLabel = "NAME", description = "Payload spec that inputs must match.")
    private @Nullable String payloadSpec;

    @Option(names = "--queue", description = "Queue of its jobs.")
    private @Nullable String queue;

    @Option(names = "--preemptible", description = "Running executions give up their slots to those of priority 0.")
    private boolean preemptible;

    @Option(
            names = "--flow",
            paramLabel = "JSON",
            description = "Limits of its executions, such as '{\"max_concurrency\": 5}'.")
    private @Nullable String flow;

    @Option(names = "--attempts", paramLabel = "N", description = "Maximum number of attempts.")
    private @Nullable Integer attempts;

    @Override
    public Integer call() {
        if (hasFile() == (name != null)) {
            throw invalid("Set either a NAME with --to URL, or a file with -f, which describes all of it.");
        }
        if (hasFile()) {
            return fromFile(Nouns.ENDPOINTS, new WaitOptions());
        }
        if (url == null) {
            throw invalid("--to is required: the URL of the endpoint.");
        }
        return one(Nouns.ENDPOINTS, endpoint(), new WaitOptions());
    }

    private ObjectNode endpoint() {
        var endpoint = JsonNodeFactory.instance.objectNode().put("name", name).put("type", "HTTP");
        new JsonFields(endpoint, spec())
                .putName("config", "configs", config)
                .putName("payload_spec", "specs", payloadSpec)
                .putName("queue", "queues", queue)
                .putJson("flow", "--flow", flow);
        var call = endpoint.putObject("spec").put("url", url).put("method", method.toUpperCase(Locale.ROOT));
        new JsonFields(call, spec()).putJson("body_template", "--body", body);
        if (!headers.isEmpty()) {
            headers.forEach(call.putObject("headers")::put);
        }
        if (preemptible) {
            endpoint.put("preemptible", true);
        }
        if (attempts != null) {
            endpoint.putObject("retry_policy").put("max_attempts", attempts);
        }
        return endpoint;
    }
}
