package io.taskexec.cli.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import io.taskexec.model.endpoint.HeaderRules;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.job.Target;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Builds the HTTP request of a draft. What looks like a credential becomes a reference to a secret, and its value is
 * not copied.
 */
final class HttpRequestDraft {
    private static final String SECRET_WORDS =
            "authorization|cookie|token|secret|password|passwd|api[-_]?key|apikey|access[-_]?key|signature|credential";
    private static final Pattern SECRET_HEADER =
            Pattern.compile(".*(?:" + SECRET_WORDS + ").*", Pattern.CASE_INSENSITIVE);

    /** In the names of parameters, words such as key are part of too many others, so that they must stand alone. */
    private static final Pattern SECRET_PARAMETER = Pattern.compile(
            "([?&])([^=&#]*(?:" + SECRET_WORDS
                    + ")[^=&#]*|code|(?:[^=&#]*(?:[-_]|(?-i:(?<=[a-z])(?=[A-Z]))))?(?:key|sig|auth))=([^&#]+)",
            Pattern.CASE_INSENSITIVE);

    private static final long MAX_TIMEOUT_MS = 3_600_000;
    private static final String AUTHORIZATION = "Authorization";
    private static final Pattern SCHEME = Pattern.compile("(Bearer|Basic|Token) +\\S.*", Pattern.CASE_INSENSITIVE);

    private final Draft draft;
    private final ObjectNode spec = JsonNodeFactory.instance.objectNode();
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    private boolean isBasic;

    /** Changes the texts of a body beside the escapes of templates. */
    private UnaryOperator<String> ofBody = text -> text;

    HttpRequestDraft(Draft draft) {
        this.draft = draft;
        draft.endpoint().set("spec", spec);
    }

    /** Sets an address that must be replaced, since the schedule has none. */
    void withoutUrl(String sentence) {
        draft.complete(sentence);
        spec.put("url", "https://replace-me.invalid/" + draft.name());
    }

    void url(String url) throws NoEquivalentException {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException _) {
            throw new NoEquivalentException("its URL is not valid.");
        }
        if (uri.getHost() == null || !String.valueOf(uri.getScheme()).matches("(?i)https?")) {
            throw new NoEquivalentException("its URL is not an absolute http or https URL.");
        }
        var plain = url;
        var user = uri.getRawUserInfo();
        if (user != null) {
            plain = url.replaceFirst(Pattern.quote(user + "@"), "");
            basicAuthorization();
        }
        spec.put(
                "url",
                SECRET_PARAMETER
                        .matcher(escaped(plain))
                        .replaceAll(found -> Matcher.quoteReplacement(
                                found.group(1) + found.group(2) + "=" + draft.secret(found.group(2)))));
    }

    void method(String method) throws NoEquivalentException {
        if (Arrays.stream(HttpSpec.Method.values())
                .noneMatch(known -> known.name().equals(method))) {
            throw new NoEquivalentException("there are no calls with the method " + method + ".");
        }
        spec.put("method", method);
    }

    void header(String name, String value) {
        var violation = HeaderRules.registrationViolation(Map.of(name, value));
        if (violation != null) {
            draft.remark("A header is not sent: " + violation + ".");
        } else if (Target.isCredential(name) || SECRET_HEADER.matcher(name).matches()) {
            var scheme = SCHEME.matcher(value);
            isBasic &= !name.equalsIgnoreCase(AUTHORIZATION);
            headers.put(name, (scheme.matches() ? scheme.group(1) + " " : "") + draft.secret(name));
        } else {
            headers.put(name, escaped(value));
        }
    }

    /** Sets the credentials of Basic authentication, which are not copied; a header of that name goes before them. */
    void basicAuthorization() {
        if (!headers.containsKey(AUTHORIZATION)) {
            headers.put(AUTHORIZATION, "Basic " + draft.secret("authorization"));
            isBasic = true;
        }
    }

    /** Sets what the texts of a body become beside the escapes of templates. */
    void changing(UnaryOperator<String> change) {
        ofBody = change;
    }

    /** Sets a body, which must be JSON: null or an empty text for no body. */
    void body(@Nullable String body) throws NoEquivalentException {
        if (body == null || body.isEmpty()) {
            return;
        }
        try {
            json(Json.parse(body));
        } catch (JsonProcessingException _) {
            throw new NoEquivalentException("its body is not JSON, and taskexec sends JSON alone.");
        }
    }

    void json(JsonNode body) {
        spec.set("body_template", Json.mapTexts(body, text -> ofBody.apply(escaped(text))));
    }

    /** Sets a body whose texts are templates. */
    void template(JsonNode body) {
        spec.set("body_template", body);
    }

    void timeout(long milliseconds) {
        if (milliseconds > MAX_TIMEOUT_MS) {
            draft.remark("Its timeout is longer than an hour, which is the longest here.");
        }
        spec.put("timeout_ms", Math.clamp(milliseconds, 1, MAX_TIMEOUT_MS));
    }

    /** Completes the endpoint. */
    void finish() {
        if (!spec.has("method")) {
            spec.put("method", "POST");
        }
        if (isBasic) {
            draft.remark("The value of the secret in Authorization is the base64 of user:password.");
        }
        if (!headers.isEmpty()) {
            var all = spec.putObject("headers");
            headers.forEach(all::put);
        }
    }

    /** Sets the number of attempts. */
    static void attempts(Draft draft, int attempts) {
        draft.endpoint().withObject("/retry_policy").put("max_attempts", Math.clamp(attempts, 1, 1000));
    }

    /** A text with the beginning of a placeholder is meant as it is. */
    private static String escaped(String text) {
        return text.replace("{{", "\\{{");
    }
}
