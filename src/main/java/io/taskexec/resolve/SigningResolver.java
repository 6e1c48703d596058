package io.taskexec.resolve;

import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.DeliveryExtras.CloudEvent;
import io.taskexec.model.delivery.Signer;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.secret.SigningKey;
import io.taskexec.secret.WebhookSigner;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the signer and the CloudEvent that an endpoint adds to its deliveries. */
@Singleton
final class SigningResolver {
    private final String source;

    SigningResolver(CloudEventsConfig config) {
        this.source = config.source();
    }

    /** Throws {@link UnusableSecretException} when a secret cannot sign. */
    DeliveryExtras extras(IdentitySpec spec, Map<String, String> secrets) {
        if (spec.equals(IdentitySpec.NONE)) {
            return DeliveryExtras.NONE;
        }
        var event = spec.eventType() == null ? null : new CloudEvent(source, spec.eventType());
        return new DeliveryExtras(signer(spec.signingSecrets(), secrets), event);
    }

    private static @Nullable Signer signer(List<String> names, Map<String, String> secrets) {
        if (names.isEmpty()) {
            return null;
        }
        var keys = names.stream().map(name -> key(name, secrets.get(name))).toList();
        return new WebhookSigner(keys)::sign;
    }

    private static SigningKey key(String name, @Nullable String value) {
        if (value == null) {
            throw new UnusableSecretException("There is no secret '%s' to sign with.".formatted(name));
        }
        try {
            return SigningKey.parse(value);
        } catch (IllegalArgumentException e) {
            throw new UnusableSecretException(
                    "The secret '%s' cannot sign: its value %s.".formatted(name, e.getMessage()));
        }
    }
}
