package io.taskexec.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.client.ServerOptions;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.replay.LocalRequest;
import io.taskexec.cli.replay.ReplayReport;
import io.taskexec.cli.replay.ReplayResponse;
import io.taskexec.config.Version;
import io.taskexec.dispatch.delivery.CloudEventBinding;
import io.taskexec.dispatch.delivery.DeliveryHeaders;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.DeliveryExtras.CloudEvent;
import io.taskexec.model.delivery.Signer;
import io.taskexec.secret.Redaction;
import io.taskexec.secret.SigningKey;
import io.taskexec.secret.WebhookSigner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends the request of an attempt to another address, with the secrets of {@code taskexec dev}. */
@Command(
        name = "replay",
        description = "Send the request of an attempt to another address, such as a service on this machine, and show"
                + " the difference between the responses. The server makes no call and records nothing ('executions"
                + " replay' has it deliver again). Secrets are those of 'taskexec dev'. Ends with 0 when both have a"
                + " status of the same class, otherwise with 1.")
public final class ReplayCommand extends ServerCommand {
    private static final int MAX_ATTEMPTS = 100_000;

    /** They would mix the call into the trace of the delivery. */
    private static final Set<String> OF_TRACE = Set.of("traceparent", "tracestate", "ce-traceparent", "ce-tracestate");

    private static final Map<String, String> LEFT_OUT = Map.of(
            "callback_url",
                    "The header Taskexec-Callback-Url is left out: it would let the receiver end the execution.",
            "tls", "The call is made without the TLS settings of the endpoint.",
            "oauth2", "The call is made without an access token (oauth2).");

    @Parameters(paramLabel = "EXECUTION_ID")
    private String id = "";

    @Option(
            names = "--to",
            required = true,
            paramLabel = "URL",
            description = "Where it is sent: replaces scheme, host and port of the recorded URL; a path goes before its"
                    + " path.")
    private String to = "";

    @Option(names = "--attempt", paramLabel = "NUMBER", description = "The attempt to compare with; default: the last.")
    private @Nullable Integer number;

    @Option(
            names = "--data-dir",
            defaultValue = ".taskexec",
            paramLabel = "DIR",
            description = "The directory of 'taskexec dev', running or not; default: ${DEFAULT-VALUE}.")
    private Path dataDir = Path.of(".taskexec");

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        var executionId = id.replaceFirst("^executions/", "");
        var uuid = PublicId.EXECUTION.parse(executionId);
        if (uuid == null) {
            throw invalid("'" + id + "' is not the id of an execution.");
        }
        var base = ServerOptions.base(spec(), "--to", to);
        return callServer(client -> {
            var path = ServerPath.of("/executions").below(executionId);
            var attempt = attempt(Pages.read(client, ServerPath.of(path + "/attempts"), MAX_ATTEMPTS));
            return replay(client, path, uuid, base, attempt);
        });
    }

    private JsonNode attempt(Pages attempts) {
        return attempts.items().stream()
                .filter(one -> number == null || one.path("attempt_number").intValue() == number)
                .reduce((_, last) -> last)
                .orElseThrow(() -> invalid(
                        number == null
                                ? "The execution has had no attempt."
                                : "The execution has no attempt " + number + "."));
    }

    private int replay(ServerClient client, ServerPath path, UUID executionId, URI base, JsonNode attempt)
            throws IOException, InterruptedException {
        var recorded = client.get(path + "/request");
        var secrets = DevSecrets.read(dataDir, names(recorded));
        LocalRequest request;
        try {
            request = LocalRequest.of(recorded, base, secrets);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
        if (!request.missing().isEmpty()) {
            warn("'taskexec dev' in " + dataDir + " does not have these secrets, so that their placeholders are sent: "
                    + String.join(", ", request.missing()) + ".");
        }
        recorded.path("left_out")
                .forEach(part -> warn(LEFT_OUT.getOrDefault(part.asText(), part.asText() + " is left out.")));
        var attemptNumber = attempt.path("attempt_number").intValue();
        var delivery = new Delivery(
                executionId,
                Objects.requireNonNull(
                        PublicId.JOB.parse(recorded.path("job_id").asText())),
                attemptNumber,
                Instant.parse(recorded.path("scheduled_for").asText()),
                null,
                new DeliveryExtras(signer(recorded, secrets), event(recorded)));
        var before = ReplayResponse.recorded(attempt);
        var redaction = Redaction.of(secrets.values());
        var after = send(request, delivery, redaction);
        if (before.isTruncated()) {
            warn("The server has kept only the beginning of the response, so that only it is compared.");
        }
        var report = new ReplayReport(
                PublicId.EXECUTION.show(executionId),
                attemptNumber,
                request,
                redaction::redact,
                before,
                after.cutAs(before));
        print(output.isTable() ? report.table() : output.show(report.json(), "executions/" + report.executionId()));
        return after.hasClassOf(before) ? ExitCode.DONE : ExitCode.REFUSED;
    }

    private static Set<String> names(JsonNode recorded) {
        var names = new TreeSet<String>();
        recorded.path("secrets").forEach(name -> names.add(name.asText()));
        return names;
    }

    private @Nullable Signer signer(JsonNode recorded, Map<String, String> secrets) {
        var keys = new ArrayList<SigningKey>();
        for (var name : recorded.path("signing_secrets")) {
            var value = secrets.get(name.asText());
            if (value == null) {
                warn("The signature of the secret " + name.asText() + " is left out: 'taskexec dev' does not have it.");
                continue;
            }
            try {
                keys.add(SigningKey.parse(value));
            } catch (IllegalArgumentException e) {
                warn("The signature of the secret " + name.asText() + " is left out: its local value " + e.getMessage()
                        + ".");
            }
        }
        return keys.isEmpty() ? null : new WebhookSigner(keys)::sign;
    }

    private static @Nullable CloudEvent event(JsonNode recorded) {
        var event = recorded.path("cloud_event");
        return event.isObject()
                ? new CloudEvent(
                        event.path("source").asText(), event.path("type").asText())
                : null;
    }

    /** Neither the API key nor a header of the client for the server goes with it. */
    private static ReplayResponse send(LocalRequest request, Delivery delivery, Redaction redaction)
            throws InterruptedException {
        var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(DeliveryHeaders.of(delivery, request.body(), CloudEventBinding.HTTP));
        headers.keySet().removeAll(OF_TRACE);
        headers.put("User-Agent", "taskexec/" + Version.number());
        if (request.body() != null) {
            headers.put("Content-Type", "application/json");
        }
        headers.putAll(request.headers());
        return request.send(headers, redaction::redact);
    }
}
