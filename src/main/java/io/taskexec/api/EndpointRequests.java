package io.taskexec.api;

import io.taskexec.model.EndpointType;
import io.taskexec.model.HeaderRules;
import io.taskexec.model.HttpSpec;
import io.taskexec.model.RetryPolicy;
import io.taskexec.store.EndpointStore.Registration;
import io.taskexec.template.Namespace;
import io.taskexec.template.Reference;
import io.taskexec.template.Template;
import io.taskexec.template.TemplateSyntaxException;
import io.taskexec.template.TemplateTree;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** Reads and checks what is said about an endpoint when it is registered. */
final class EndpointRequests {
    static final int MAX_URL = 4096;
    static final int MAX_HEADERS = 64;
    static final int MAX_EXPECTED = 64;
    private static final int MAX_TIMEOUT_MS = 3_600_000;
    private static final int MAX_ATTEMPTS = 1000;
    private static final int MAX_DELAY_MS = 7 * 24 * 3_600_000;

    private static final Pattern AFTER_HOST = Pattern.compile("(?:[A-Za-z]+://)?+[^/?#]+[/?#].*");

    private EndpointRequests() {}

    /** The methods of an outgoing call. */
    @Schema(name = "HttpMethod")
    enum Method {
        GET,
        POST,
        PUT,
        PATCH,
        DELETE
    }

    /** The registration under {@code name} that the fields of a body describe. */
    static Registration read(String name, Fields fields) {
        var type = fields.choice("type", EndpointType.class, EndpointType.HTTP);
        if (fields.optionalTree("type") == null) {
            fields.violation("type", "is required");
        } else if (type != EndpointType.HTTP) {
            fields.violation("type", "must be HTTP: endpoints of type " + type + " are not supported by this version");
        }
        var payloadSpec = fields.optionalName("payload_spec");
        var config = fields.optionalName("config");
        var spec = httpSpec(fields.fields("spec", true));
        var retryPolicy = retryPolicy(fields.fields("retry_policy", false));
        fields.check();
        var references = references(spec);
        checkConfig(references, config != null);
        return new Registration(name, payloadSpec, config, spec, retryPolicy, Reference.secretNames(references));
    }

    private static HttpSpec httpSpec(Fields fields) {
        var spec = new HttpSpec(
                fields.text("url", MAX_URL),
                method(fields),
                headers(fields),
                fields.optionalTree("body_template"),
                Duration.ofMillis(fields.integer(
                        "timeout_ms", Math.toIntExact(HttpSpec.DEFAULT_TIMEOUT.toMillis()), 1, MAX_TIMEOUT_MS)),
                expected(fields));
        fields.checkNested();
        return spec;
    }

    private static String method(Fields fields) {
        if (fields.optionalTree("method") == null) {
            fields.violation("method", "is required");
        }
        return fields.choice("method", Method.class, Method.POST).name();
    }

    private static Map<String, String> headers(Fields fields) {
        var headers = fields.texts("headers", MAX_HEADERS);
        var violation = HeaderRules.violation(headers);
        if (violation != null) {
            fields.violation("headers", "must hold headers that can be sent: " + violation.replaceAll("\\.$", ""));
        }
        return headers;
    }

    private static List<Integer> expected(Fields fields) {
        if (fields.optionalTree("expected_status_codes") == null) {
            return HttpSpec.DEFAULT_EXPECTED;
        }
        var codes = new ArrayList<Integer>();
        fields.array("expected_status_codes", MAX_EXPECTED)
                .forEach(code -> codes.add(code.isIntegralNumber() ? code.intValue() : 0));
        if (!codes.stream().allMatch(code -> code >= 200 && code <= 599)) {
            fields.violation("expected_status_codes", "must hold HTTP status codes from 200 to 599");
        }
        return codes;
    }

    private static RetryPolicy retryPolicy(Fields fields) {
        var otherwise = RetryPolicy.DEFAULT;
        var initial = delay(fields, "initial_delay_ms", otherwise.initialDelay());
        var max = delay(fields, "max_delay_ms", longer(otherwise.maxDelay(), initial));
        if (max.compareTo(initial) < 0) {
            fields.violation("max_delay_ms", "must not be less than initial_delay_ms");
        }
        var policy = new RetryPolicy(
                fields.integer("max_attempts", otherwise.maxAttempts(), 1, MAX_ATTEMPTS),
                fields.choice("backoff", RetryPolicy.Backoff.class, otherwise.backoff()),
                initial,
                max);
        fields.checkNested();
        return policy;
    }

    private static Duration delay(Fields fields, String field, Duration otherwise) {
        return Duration.ofMillis(fields.integer(field, Math.toIntExact(otherwise.toMillis()), 0, MAX_DELAY_MS));
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    private static Set<Reference> references(HttpSpec spec) {
        try {
            var url = Template.parse(spec.url());
            checkHost(url);
            var references = new HashSet<>(url.references());
            spec.headers()
                    .values()
                    .forEach(value -> references.addAll(Template.parse(value).references()));
            if (spec.bodyTemplate() != null) {
                references.addAll(TemplateTree.parse(spec.bodyTemplate()).references());
            }
            return references;
        } catch (TemplateSyntaxException e) {
            throw new ApiException(ErrorCode.TEMPLATE_RESOLUTION_FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** Input may fill in the path and the query of a URL, but never decide whose host gets the request. */
    private static void checkHost(Template url) {
        var before = url.before(Namespace.INPUT);
        if (before != null && !AFTER_HOST.matcher(before).matches()) {
            throw new ApiException(
                    ErrorCode.TEMPLATE_RESOLUTION_FAILED,
                    "In 'url', {{input.*}} may only stand after the host: put a '/' or '?' between them.");
        }
    }

    private static void checkConfig(Set<Reference> references, boolean hasConfig) {
        if (!hasConfig && references.stream().anyMatch(r -> r.namespace() == Namespace.CONFIG)) {
            throw new ApiException(
                    ErrorCode.TEMPLATE_RESOLUTION_FAILED, "The spec uses {{config.*}}, but names no 'config'.");
        }
    }
}
