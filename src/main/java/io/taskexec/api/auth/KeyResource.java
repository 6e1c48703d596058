package io.taskexec.api.auth;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.FieldDefinition.required;
import static io.taskexec.model.ValueType.NAME;
import static io.taskexec.model.ValueType.duration;
import static io.taskexec.model.ValueType.words;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.Responses;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.ValueType.ListOf;
import io.taskexec.model.ValueType.Order;
import io.taskexec.model.audit.ApiKey;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.request.Choice;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Lookup;
import io.taskexec.secret.ApiKeys;
import io.taskexec.store.auth.ApiKeyStore;
import io.taskexec.store.auth.ApiKeyStore.Permit;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** API keys; each is shown once, when it is made. */
@Path("/keys")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class KeyResource {
    private static final int MOST_ENDPOINTS = 100;

    /** A key as it is asked for. */
    public static final ObjectDefinition NEW_KEY = ObjectDefinition.of(
            "NewApiKey",
            required("name", NAME),
            required(
                    "scopes",
                    new ListOf(words("ApiKeyScope", KeyScope.values()), 1, KeyScope.values().length, Order.BAG)),
            optional("endpoints", new ListOf(NAME, 1, MOST_ENDPOINTS, Order.SET))
                    .says("With the scope work: the endpoints that it may work for; default all."),
            optional("expires_in", duration())
                    .says("How long it is valid; default until revoked.")
                    .example("P90D"));

    private static final Pattern ID = Pattern.compile("key_[A-Za-z0-9]{1,32}");
    private static final Duration LONGEST = Duration.ofDays(3660);

    private final ApiKeyStore store;
    private final KeyCheck check;

    KeyResource(ApiKeyStore store, KeyCheck check) {
        this.store = store;
        this.check = check;
    }

    /**
     * A key as it is shown.
     *
     * @param key only in the answer to its creation
     */
    @Schema(name = "ApiKey")
    record View(
            String keyId,
            String name,
            List<String> scopes,

            @Schema(description = "The endpoints that it may work for; null for all.") @Nullable
            List<String> endpoints,

            Instant createdAt,
            @Nullable Instant expiresAt,
            @Nullable Instant revokedAt,
            @Nullable Instant lastUsedAt,

            @Schema(description = "The key itself, in the answer to its creation only.") @Nullable
            String key) {
        static View of(ApiKey key) {
            return with(null, key);
        }

        static View with(@Nullable String material, ApiKey key) {
            var scopes = key.scopes().stream().map(KeyScope::word).toList();
            return new View(
                    key.id(),
                    key.name(),
                    scopes,
                    key.endpoints() == null
                            ? null
                            : key.endpoints().stream().sorted().toList(),
                    key.createdAt(),
                    key.expiresAt(),
                    key.revokedAt(),
                    key.lastUsedAt(),
                    material);
        }
    }

    @POST
    @Operation(
            operationId = "createKey",
            summary = OperationSummary.CREATE_KEY,
            description = "The key itself is in this answer only.")
    @RequestSchema("NewApiKey")
    @Creates
    @Fails(ErrorCode.CONFLICT)
    public Uni<RestResponse<View>> create(byte @Nullable [] body) {
        var fields = Fields.of(body, NEW_KEY);
        var name = fields.name("name");
        if (name.equals(Caller.BOOTSTRAP.name())) {
            fields.violation("name", "must not be '%s', which is the key of the settings".formatted(name));
        }
        var scopes = scopes(fields);
        var endpoints = endpoints(fields, scopes);
        var expiresIn = fields.optionalDuration("expires_in");
        if (expiresIn != null && (expiresIn.isZero() || expiresIn.compareTo(LONGEST) > 0)) {
            fields.violation("expires_in", "must be positive and at most 3660 days");
        }
        fields.check();
        var key = ApiKeys.generate();
        return store.create(
                        ApiKeys.generateId(), name, ApiKeys.fingerprint(key), new Permit(scopes, endpoints), expiresIn)
                .map(created -> Responses.created("/keys/" + created.id(), View.with(key, created)));
    }

    private static String checked(String id) {
        if (!ID.matcher(id).matches()) {
            throw Lookup.notFound(ErrorCode.KEY_NOT_FOUND, id);
        }
        return id;
    }

    private static Set<KeyScope> scopes(Fields fields) {
        var scopes = EnumSet.noneOf(KeyScope.class);
        for (var element : fields.array("scopes")) {
            var scope = element.isTextual() ? Choice.of(element.textValue(), KeyScope.class) : null;
            if (scope == null) {
                var words = Choice.words(KeyScope.class);
                fields.violation(
                        "scopes", "must be some of " + Choice.list(words) + Choice.hint(element.asText(), words));
                return scopes;
            }
            scopes.add(scope);
        }
        return scopes;
    }

    private static @Nullable Set<String> endpoints(Fields fields, Set<KeyScope> scopes) {
        if (!fields.has("endpoints")) {
            return null;
        }
        var names = new HashSet<String>();
        for (var element : fields.array("endpoints")) {
            if (!element.isTextual() || !NAME.matches(element.textValue()) || !names.add(element.textValue())) {
                fields.violation("endpoints", "must hold names of endpoints, each once");
                return null;
            }
        }
        if (!scopes.contains(KeyScope.WORK) || scopes.contains(KeyScope.ADMIN)) {
            fields.violation("endpoints", "needs the scope 'work', without 'admin'");
        }
        return names;
    }

    @GET
    @Operation(operationId = "listKeys", summary = "List API keys, newest first.")
    public Uni<ListView<View>> list(@BeanParam Paging paging) {
        return store.list(paging.byName()).map(page -> ListView.of(page, View::of));
    }

    @GET
    @Path("/{id}")
    @Operation(operationId = "getKey", summary = "Get an API key without the key itself.")
    @Fails(ErrorCode.KEY_NOT_FOUND)
    public Uni<View> get(@RestPath String id) {
        return store.find(checked(id)).map(key -> View.of(Lookup.found(key, ErrorCode.KEY_NOT_FOUND, id)));
    }

    @DELETE
    @Path("/{id}")
    @Operation(operationId = "revokeKey", summary = OperationSummary.REVOKE_KEY)
    @Fails(ErrorCode.KEY_NOT_FOUND)
    public Uni<RestResponse<Void>> revoke(@RestPath String id) {
        return store.revoke(checked(id))
                .invoke(() -> check.forget(id))
                .map(was -> Responses.deleted(was, ErrorCode.KEY_NOT_FOUND, id));
    }
}
