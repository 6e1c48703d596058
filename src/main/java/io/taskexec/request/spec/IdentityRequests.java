package io.taskexec.request.spec;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.ValueType;
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.request.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and checks what the spec of an endpoint of any type adds to the identity of its deliveries. */
public final class IdentityRequests {
    private IdentityRequests() {}

    public static IdentitySpec read(Fields fields) {
        return new IdentitySpec(signingSecrets(fields), eventType(fields));
    }

    /** The same where nothing names the secrets that sign. */
    static IdentitySpec readUnsigned(Fields fields) {
        return new IdentitySpec(List.of(), eventType(fields));
    }

    private static List<String> signingSecrets(Fields fields) {
        var object = fields.optionalTree("signing");
        var signing = fields.fields("signing");
        if (object == null || !object.isObject()) {
            return List.of();
        }
        var given = signing.array("secrets");
        var names = given.stream().map(JsonNode::asText).distinct().toList();
        var areNames =
                given.stream().allMatch(name -> name.isTextual() && ValueType.SECRET_NAME.matches(name.textValue()));
        if (!areNames || names.size() < given.size()) {
            signing.violation("secrets", "must hold names of secrets, each of them once");
        }
        signing.checkNested();
        return names;
    }

    private static @Nullable String eventType(Fields fields) {
        var given = fields.optionalTree("cloud_events");
        if (given == null || given.isBoolean()) {
            return given != null && given.booleanValue() ? IdentitySpec.DEFAULT_EVENT_TYPE : null;
        }
        if (!given.isObject()) {
            fields.violation("cloud_events", "must be true, false or an object with a 'type'");
            return null;
        }
        var events = fields.fields("cloud_events", EndpointFields.CLOUD_EVENTS);
        var type = events.optionalText("type");
        if (type != null && type.chars().anyMatch(Character::isISOControl)) {
            events.violation("type", "must not have control characters");
        }
        events.checkNested();
        return type == null ? IdentitySpec.DEFAULT_EVENT_TYPE : type;
    }
}
