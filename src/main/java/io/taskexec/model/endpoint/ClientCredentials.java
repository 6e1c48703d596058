package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Option;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The client credentials that an access token is requested with (RFC 6749, 4.4).
 *
 * @param scope what the token is to allow, if that has to be said
 * @param audience whom the token is for, if that has to be said
 */
public record ClientCredentials(
        String tokenUrl,
        String clientId,
        String clientSecret,
        @Nullable String scope,
        @Nullable String audience,
        Auth auth) {
    /** The place of the credentials in the request. */
    public enum Auth implements Option {
        /** In the header for it, which every token server knows. */
        BASIC,
        /** Among the parameters. */
        BODY
    }

    ClientCredentials map(UnaryOperator<String> change) {
        return new ClientCredentials(
                change.apply(tokenUrl),
                change.apply(clientId),
                change.apply(clientSecret),
                TlsIdentity.apply(change, scope),
                TlsIdentity.apply(change, audience),
                auth);
    }

    void addTo(ObjectNode json) {
        json.put("token_url", tokenUrl).put("client_id", clientId).put("client_secret", clientSecret);
        TlsIdentity.putIfGiven(json, "scope", scope);
        TlsIdentity.putIfGiven(json, "audience", audience);
        json.put("auth", auth.word());
    }

    static @Nullable ClientCredentials of(@Nullable JsonNode json) {
        return json == null
                ? null
                : new ClientCredentials(
                        json.path("token_url").asText(),
                        json.path("client_id").asText(),
                        json.path("client_secret").asText(),
                        json.path("scope").textValue(),
                        json.path("audience").textValue(),
                        Auth.valueOf(json.path("auth").asText().toUpperCase(Locale.ROOT)));
    }
}
