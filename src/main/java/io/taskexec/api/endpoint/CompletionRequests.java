package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.dependency.Condition;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.model.wait.Origin;
import io.taskexec.request.Fields;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads how the receivers of an endpoint may complete deliveries later. */
final class CompletionRequests {
    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);

    private CompletionRequests() {}

    static Completion read(EndpointType type, Fields fields) {
        var modes = modes(fields);
        var timeout = fields.optionalDuration("timeout", Completion.LONGEST);
        var always = fields.flag("always");
        var silence = fields.optionalDuration("heartbeat_timeout", Completion.LONGEST);
        var poll = fields.fields("poll");
        var succeeded = condition(poll, "succeeded");
        var failed = condition(poll, "failed");
        poll.checkNested();
        var origins = origins(fields);
        if (timeout != null && timeout.compareTo(SHORTEST_TIMEOUT) < 0) {
            fields.violation("timeout", "must be at least " + SHORTEST_TIMEOUT);
        }
        if (silence != null && silence.compareTo(Completion.SHORTEST_PAUSE) < 0) {
            fields.violation("heartbeat_timeout", "must be at least " + Completion.SHORTEST_PAUSE);
        }
        var polls = modes.contains(DeferralMode.POLL);
        var calls = modes.contains(DeferralMode.CALLBACK);
        if (!calls && (always || silence != null)) {
            fields.violation(always ? "always" : "heartbeat_timeout", "needs the mode 'callback'");
        }
        if (!polls && (fields.has("poll") || !origins.isEmpty())) {
            fields.violation(fields.has("poll") ? "poll" : "poll_origins", "needs the mode 'poll'");
        }
        if (type == EndpointType.WORKER) {
            if (always || polls) {
                fields.violation(always ? "always" : "modes", "must leave it to the worker to wait for a callback");
            }
        } else if (type != EndpointType.HTTP && type != EndpointType.WORKFLOW && !(always && calls && !polls)) {
            fields.violation(
                    "always", "must be true, with the mode 'callback' alone: there is no answer to defer with");
        }
        fields.checkNested();
        return new Completion(
                modes,
                timeout == null ? Completion.DEFAULT_TIMEOUT : timeout,
                always,
                silence,
                origins,
                succeeded,
                failed);
    }

    private static Set<DeferralMode> modes(Fields fields) {
        var modes = EnumSet.noneOf(DeferralMode.class);
        var given = fields.array("modes");
        for (var element : given) {
            DeferralMode.OF_RECEIVERS.stream()
                    .filter(mode -> element.isTextual() && mode.word().equals(element.textValue()))
                    .forEach(modes::add);
        }
        if (modes.size() < given.size()) {
            fields.violation("modes", "must hold 'callback', 'poll' or both, each once");
        }
        return modes;
    }

    private static @Nullable JsonNode condition(Fields fields, String field) {
        var condition = fields.optionalTree(field);
        if (condition != null) {
            try {
                var _ = Condition.of(condition);
            } catch (IllegalArgumentException e) {
                fields.violation(field, String.valueOf(e.getMessage()));
            }
        }
        return condition;
    }

    private static List<String> origins(Fields fields) {
        var given = fields.optionalTree("poll_origins");
        if (given == null || (given.isArray() && given.isEmpty())) {
            return List.of();
        }
        var origins = new ArrayList<String>();
        for (var element : fields.array("poll_origins")) {
            if (!isOrigin(element)) {
                fields.violation("poll_origins", "must hold origins, such as https://status.example.com");
                break;
            }
            origins.add(element.textValue());
        }
        return List.copyOf(origins);
    }

    private static boolean isOrigin(JsonNode element) {
        if (!element.isTextual() || element.textValue().length() > 512) {
            return false;
        }
        try {
            var url = URI.create(element.textValue());
            return Set.of("http", "https").contains(Origin.of(url).scheme())
                    && url.getRawUserInfo() == null
                    && url.getRawQuery() == null
                    && url.getRawFragment() == null
                    && url.getRawPath().isEmpty();
        } catch (IllegalArgumentException _) {
            return false;
        }
    }
}
