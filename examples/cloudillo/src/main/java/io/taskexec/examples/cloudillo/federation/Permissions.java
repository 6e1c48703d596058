package io.taskexec.examples.cloudillo.federation;

import io.taskexec.client.worker.PermanentException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says which actions of others are let in. */
final class Permissions {
    private Permissions() {}

    /**
     * Looks at claims, before their issuer is asked for anything.
     *
     * @param me the identity of this instance
     * @param issuer as the owner knows it; null for a stranger
     * @throws PermanentException when the action is not for this instance, not wanted, or expired
     */
    static void check(Claims claims, String me, @Nullable Contact issuer, Instant now) {
        if (claims.audience() != null && !claims.audience().equals(me)) {
            throw refusal("WRONG_AUDIENCE", "The action is for " + claims.audience() + ".");
        }
        if (claims.expiresAt() != null && now.getEpochSecond() >= claims.expiresAt()) {
            throw refusal("EXPIRED", "The action has expired.");
        }
        var isKnown = issuer != null && (issuer.following() || issuer.connected());
        var isConnected = issuer != null && issuer.connected();
        var isForMe = me.equals(claims.audience());
        var type = Objects.requireNonNullElse(claims.type(), "");
        var isAllowed = switch (type) {
            case "POST" -> isKnown;
            case "MSG" -> isConnected && isForMe;
            // Strangers may ask to become known.
            case "FLLW", "CONN" -> isForMe;
            default -> throw refusal("UNKNOWN_ACTION_TYPE", "There are no actions of the type " + type + ".");
        };
        if (!isAllowed) {
            throw refusal("FORBIDDEN", "%s may not send a %s.".formatted(claims.issuer(), type));
        }
    }

    private static PermanentException refusal(String code, String message) {
        return new PermanentException(message, code, null);
    }
}
