package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The signing and CloudEvents settings of an endpoint of any type, as registered.
 *
 * @param signingSecrets the names of the secrets that sign, at most {@link #MAX_SECRETS}; empty for no signature
 * @param eventType the type of the CloudEvents, null when deliveries are not CloudEvents
 */
public record IdentitySpec(
        List<String> signingSecrets, @Nullable String eventType) {
    /** An endpoint that adds nothing. */
    public static final IdentitySpec NONE = new IdentitySpec(List.of(), null);

    /** The limit of secrets that sign at once: the old one and the new one during a rotation. */
    public static final int MAX_SECRETS = 2;

    /** The type of CloudEvents for an endpoint that names none. */
    public static final String DEFAULT_EVENT_TYPE = "io.taskexec.job";

    /** Adds it to the form of a spec that the API shows and the store keeps. */
    void addTo(ObjectNode json) {
        if (!signingSecrets.isEmpty()) {
            signingSecrets.forEach(json.putObject("signing").putArray("secrets")::add);
        }
        if (DEFAULT_EVENT_TYPE.equals(eventType)) {
            json.put("cloud_events", true);
        } else if (eventType != null) {
            json.putObject("cloud_events").put("type", eventType);
        }
    }

    /** Reads back what {@link #addTo} wrote. */
    static IdentitySpec of(JsonNode json) {
        var secrets = new ArrayList<String>();
        json.path("signing").path("secrets").forEach(name -> secrets.add(name.asText()));
        var events = json.path("cloud_events");
        var type = events.isObject() ? events.path("type").textValue() : events.asBoolean() ? DEFAULT_EVENT_TYPE : null;
        return secrets.isEmpty() && type == null ? NONE : new IdentitySpec(secrets, type);
    }
}
