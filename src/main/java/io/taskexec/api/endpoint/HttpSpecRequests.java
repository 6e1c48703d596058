package io.taskexec.api.endpoint;

import io.taskexec.model.endpoint.HeaderRules;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.request.Fields;
import io.taskexec.template.Namespace;
import io.taskexec.template.Template;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Reads and checks the spec of an HTTP endpoint. */
final class HttpSpecRequests {
    static final int MAX_EXPECTED = 64;

    private static final Pattern AFTER_HOST = Pattern.compile("(?:[A-Za-z]+://)?+[^/?#]+[/?#].*");

    private HttpSpecRequests() {}

    /** The methods of an outgoing call. */
    @Schema(name = "HttpMethod")
    enum Method {
        GET,
        POST,
        PUT,
        PATCH,
        DELETE
    }

    static HttpSpec read(Fields fields) {
        return new HttpSpec(
                fields.text("url", SpecLimits.MAX_TEXT),
                method(fields),
                HeaderRequests.read(fields, SpecLimits.MAX_HEADERS, HttpSpecRequests::headerViolation),
                fields.optionalTree("body_template"),
                fields.milliseconds("timeout_ms", HttpSpec.DEFAULT_TIMEOUT, 1, SpecLimits.MAX_TIMEOUT_MS),
                expected(fields),
                IdentityRequests.read(fields),
                HttpAccessRequests.read(fields));
    }

    private static String method(Fields fields) {
        if (fields.optionalTree("method") == null) {
            fields.violation("method", "is required");
        }
        return fields.choice("method", Method.class, Method.POST).name();
    }

    private static @Nullable String headerViolation(Map<String, String> headers) {
        var violation = HeaderRules.registrationViolation(headers);
        return violation == null ? null : "cannot be sent: " + violation.replaceAll("\\.$", "");
    }

    private static List<Integer> expected(Fields fields) {
        var given = fields.optionalTree("expected_status_codes");
        // Clients made by generators send an empty list for one that they were not given.
        if (given == null || (given.isEmpty() && given.isArray())) {
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

    /** Hands the templates of {@code spec} to {@code templates}. */
    static void parse(HttpSpec spec, SpecTemplates templates) {
        checkHost(templates.text("url", spec.url()));
        templates.texts("headers", spec.headers());
        templates.tree("body_template", spec.bodyTemplate());
        if (spec.access() != null) {
            HttpAccessRequests.parse(spec.access(), templates);
        }
    }

    /** Input may fill in the path and the query of a URL, but never decide whose host gets the request. */
    private static void checkHost(Template url) {
        var before = url.before(Namespace.INPUT);
        if (before != null && !AFTER_HOST.matcher(before).matches()) {
            throw SpecTemplates.refused(
                    "url", "In 'url', {{input.*}} may only stand after the host: put a '/' or '?' between them.");
        }
    }
}
