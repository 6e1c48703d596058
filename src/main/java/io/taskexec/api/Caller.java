package io.taskexec.api;

import static java.util.Objects.requireNonNull;

import io.taskexec.model.KeyScope;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who sends a request.
 *
 * @param name as the audit log has it
 * @param keyId null for the bootstrap key
 */
record Caller(String name, @Nullable String keyId, Set<KeyScope> scopes) {
    /** The key of {@code TE_API_KEY}, which no other key may be called like. */
    static final Caller BOOTSTRAP = new Caller("bootstrap", null, Set.of(KeyScope.ADMIN));

    private static final String PROPERTY = Caller.class.getName();

    /** What the key is counted by: names are free again when a key is revoked. */
    String id() {
        return keyId == null ? name : keyId;
    }

    boolean may(KeyScope needed) {
        return scopes.stream().anyMatch(scope -> scope.includes(needed));
    }

    void attachTo(ContainerRequestContext request) {
        request.setProperty(PROPERTY, this);
    }

    /** Whom {@link Authentication} has found; null when it has let nobody pass. */
    static @Nullable Caller of(ContainerRequestContext request) {
        return request.getProperty(PROPERTY) instanceof Caller caller ? caller : null;
    }

    /** The time that a request may spend on checks, with a body of this size. */
    static CheckTime checkTime(ContainerRequestContext request, byte @Nullable [] body) {
        return new CheckTime(requireNonNull(of(request)).id(), body == null ? 0 : body.length);
    }
}
