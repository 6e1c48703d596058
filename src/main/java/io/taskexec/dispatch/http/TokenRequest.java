package io.taskexec.dispatch.http;

import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.endpoint.ClientCredentials;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Asks for an access token (RFC 6749, 4.4.2). */
final class TokenRequest {
    /** A caller that waits for the answer may give up sooner. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private TokenRequest() {}

    /** Throws {@link InvalidCallException}. */
    static HttpCall of(ClientCredentials client) {
        return new HttpCall(uri(client.tokenUrl()), "POST", Map.of(), form(client), TIMEOUT, List.of(200));
    }

    static Map<String, String> headers(ClientCredentials client, String userAgent) {
        var headers = new LinkedHashMap<String, String>();
        headers.put("User-Agent", userAgent);
        headers.put("Content-Type", "application/x-www-form-urlencoded");
        headers.put("Accept", "application/json");
        if (client.auth() == ClientCredentials.Auth.BASIC) {
            headers.put("Authorization", "Basic " + basic(client));
        }
        return headers;
    }

    private static URI uri(String url) {
        try {
            var uri = URI.create(url);
            var _ = HttpTarget.of(uri);
            return uri;
        } catch (IllegalArgumentException _) {
            // Its message would quote the URL, which may hold a secret.
            throw new InvalidCallException("oauth2.token_url is malformed after its templates are resolved");
        } catch (InvalidCallException e) {
            throw new InvalidCallException("oauth2.token_url: " + e.getMessage());
        }
    }

    private static String form(ClientCredentials client) {
        var form = new LinkedHashMap<String, String>();
        form.put("grant_type", "client_credentials");
        if (client.scope() != null) {
            form.put("scope", client.scope());
        }
        if (client.audience() != null) {
            form.put("audience", client.audience());
        }
        if (client.auth() == ClientCredentials.Auth.BODY) {
            form.put("client_id", client.clientId());
            form.put("client_secret", client.clientSecret());
        }
        return form.entrySet().stream()
                .map(field -> field.getKey() + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
    }

    /** Both are encoded before they are joined (RFC 6749, 2.3.1). */
    private static String basic(ClientCredentials client) {
        var pair = encoded(client.clientId()) + ":" + encoded(client.clientSecret());
        return Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
