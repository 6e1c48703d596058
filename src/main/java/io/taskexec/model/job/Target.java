package io.taskexec.model.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.wait.Origin;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of a job that names no endpoint. The targets of one origin share a hidden endpoint, so that they have
 * one circuit breaker, and one name in metrics and events.
 */
public record Target(HttpSpec spec, RetryPolicy retryPolicy) {
    /** What stands for the value of a header that is not shown. */
    public static final String REDACTED = "[redacted]";

    /** The beginning of the names of hidden endpoints of targets, which no name of the API can have. */
    private static final String PREFIX = "_target:";

    private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

    private static final Pattern AUTHORITY = Pattern.compile("^(https?://[^/?#]+)", Pattern.CASE_INSENSITIVE);

    /** The names of headers whose values are secrets; more than these are not shown. */
    private static final Pattern SECRET = Pattern.compile(
            "(token|secret|password|credential|signature|(api|auth|access|subscription|functions)-?key)$");

    /** A scheme before credentials (RFC 9110, 11.4). */
    private static final Pattern SCHEME = Pattern.compile("^(bearer|basic|token) +", Pattern.CASE_INSENSITIVE);

    private static final Pattern CREDENTIAL =
            Pattern.compile("auth|cookie|token|secret|key|password|credential|signature", Pattern.CASE_INSENSITIVE);

    /** Whether this is the name of a hidden endpoint of targets. */
    public static boolean isName(String endpoint) {
        return endpoint.startsWith(PREFIX);
    }

    /** Whether a header may carry credentials, so that its value is not shown. */
    public static boolean isCredential(String header) {
        return CREDENTIAL.matcher(header).find();
    }

    /** The secrets in a header, which are redacted in answers that repeat it. */
    public static List<String> secretsOf(String header, String value) {
        var name = header.toLowerCase(Locale.ROOT);
        if (name.equals("cookie")) {
            // RFC 6265, 4.2.1
            return Stream.of(value.split(";"))
                    .map(pair -> pair.substring(pair.indexOf('=') + 1).strip())
                    .toList();
        }
        if (name.equals("authorization") || name.equals("proxy-authorization")) {
            // RFC 9110, 11.4: a scheme, and its credentials.
            return List.of(value.substring(value.indexOf(' ') + 1).strip());
        }
        return SECRET.matcher(name).find() ? List.of(SCHEME.matcher(value).replaceFirst("")) : List.of();
    }

    /** The scheme, host and port that requests go to; null when the URL has none of these, or has a user. */
    public @Nullable String origin() {
        var authority = AUTHORITY.matcher(spec.url());
        if (!authority.find()) {
            return null;
        }
        try {
            var url = URI.create(authority.group(1));
            return url.getRawUserInfo() == null ? Origin.of(url).toString() : null;
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /** Whether the body is the input as it is, if there is one. */
    public boolean sendsInput() {
        return spec.bodyTemplate() == null && WITH_BODY.contains(spec.method());
    }

    /** The name of the hidden endpoint. */
    public String endpoint() {
        return PREFIX + origin();
    }

    /** The form that the store keeps. */
    public ObjectNode toJson() {
        return spec.toJson().set("retry_policy", retryPolicy.toJson());
    }

    /** The form that the API shows. */
    public ObjectNode shown() {
        var json = toJson();
        if (json.get("headers") instanceof ObjectNode headers) {
            headers.properties().stream()
                    .filter(header -> isCredential(header.getKey()))
                    .forEach(header -> header.setValue(headers.textNode(REDACTED)));
        }
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    public static Target of(JsonNode json) {
        return new Target(HttpSpec.of(json), RetryPolicy.of(json.path("retry_policy")));
    }
}
