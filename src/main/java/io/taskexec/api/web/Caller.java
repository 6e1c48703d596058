package io.taskexec.api.web;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.job.CheckTime;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.model.job.JobFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request.
 *
 * @param name as the audit log has it
 * @param keyId null for the bootstrap key
 * @param endpoints those that it may work for; null for all
 */
public record Caller(
        String name,
        @Nullable String keyId,
        Set<KeyScope> scopes,
        @Nullable Set<String> endpoints) {
    /** The key of {@code TE_API_KEY}, which no other key may be called like. */
    public static final Caller BOOTSTRAP = new Caller("bootstrap", null, Set.of(KeyScope.ADMIN));

    private static final String PROPERTY = Caller.class.getName();

    /** A sender who may work for all endpoints. */
    public Caller(String name, @Nullable String keyId, Set<KeyScope> scopes) {
        this(name, keyId, scopes, null);
    }

    /** Whether it may lease executions of an endpoint, as far as the endpoint decides. */
    public boolean mayWork(String endpoint) {
        return endpoints == null || endpoints.contains(endpoint);
    }

    /** The id for counting requests: names are free again when a key is revoked. */
    public String id() {
        return keyId == null ? name : keyId;
    }

    public boolean may(KeyScope needed) {
        return scopes.stream().anyMatch(scope -> scope.includes(needed));
    }

    /** Fails with FORBIDDEN unless it may. */
    public void require(KeyScope needed) {
        if (!may(needed)) {
            throw new ApiException(
                            ErrorCode.FORBIDDEN, "This needs an API key with the scope '%s'.".formatted(needed.word()))
                    .with(
                            "WWW-Authenticate",
                            "Bearer error=\"insufficient_scope\", scope=\"%s\"".formatted(needed.word()));
        }
    }

    /** Fails with FORBIDDEN when the fields of a job have a target, and the sender may not choose any. */
    public static void checkTarget(ContainerRequestContext request, JsonNode job) {
        if (job.hasNonNull(JobFields.TARGET)) {
            requireNonNull(of(request)).require(KeyScope.ADHOC);
        }
    }

    public void attachTo(ContainerRequestContext request) {
        request.setProperty(PROPERTY, this);
    }

    /** Returns the caller that authentication has found; null when there was no authentication. */
    public static @Nullable Caller of(ContainerRequestContext request) {
        return request.getProperty(PROPERTY) instanceof Caller caller ? caller : null;
    }

    /** The time that a request may spend on checks, with a body of this size. */
    public static CheckTime checkTime(ContainerRequestContext request, byte @Nullable [] body) {
        return new CheckTime(requireNonNull(of(request)).id(), body == null ? 0 : body.length);
    }
}
