package io.taskexec.api.execution;

import io.taskexec.model.PublicId;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.Target;
import io.taskexec.resolve.RequestPreview.Result;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request of an execution as it is shown: with marks in the places of secrets. */
@Schema(name = "DeliveryRequest", description = "The HTTP request of an execution, without its secrets.")
record RequestView(
        String executionId,
        String jobId,
        Instant scheduledFor,
        String method,

        @Schema(description = "With marks, which may be a part of it that decides about its host.")
        String url,

        @Schema(description = "Those of the endpoint or target; the delivery headers are not among them.")
        Map<String, String> headers,

        @Schema(description = "JSON; absent without a body.") @Nullable
        String body,

        long timeoutMs,

        @Schema(description = "Marks that stand in URL, headers and body, to the names of secrets.")
        Map<String, String> secrets,

        @Schema(description = "The names of the secrets that sign it.")
        List<String> signingSecrets,

        @Schema(description = "The source and the type of its CloudEvent.") @Nullable
        EventView cloudEvent,

        @Schema(
                description = "Parts of the delivery that are not shown: callback_url, tls, oauth2, or headers.NAME of"
                        + " a target.")
        List<String> leftOut) {
    /** The attributes of a CloudEvent that its endpoint decides about. */
    @Schema(name = "DeliveryEvent")
    record EventView(String source, String type) {}

    static RequestView of(Execution execution, Result.Request request, boolean hasTarget) {
        var call = request.call();
        var headers = new LinkedHashMap<>(call.headers());
        var leftOut = leftOut(request);
        if (hasTarget) {
            // They are values where those of an endpoint are secrets.
            var withheld =
                    headers.keySet().stream().filter(Target::isCredential).toList();
            headers.keySet().removeAll(withheld);
            withheld.forEach(name -> leftOut.add("headers." + name));
        }
        var event = request.event();
        var signing = request.identity().signingSecrets();
        return new RequestView(
                PublicId.EXECUTION.show(execution.id()),
                PublicId.JOB.show(execution.jobId()),
                execution.runAt(),
                call.method(),
                call.uri().toString(),
                headers,
                call.body(),
                call.timeout().toMillis(),
                request.marks(),
                signing,
                event == null ? null : new EventView(event.source(), event.type()),
                leftOut);
    }

    private static List<String> leftOut(Result.Request request) {
        var access = request.call().access();
        var parts = new ArrayList<String>();
        if (request.hasCallbacks()) {
            parts.add("callback_url");
        }
        if (access != null && access.tls() != null) {
            parts.add("tls");
        }
        if (access != null && access.oauth2() != null) {
            parts.add("oauth2");
        }
        return parts;
    }
}
