package io.taskexec.request.spec;

import io.taskexec.model.Json;
import io.taskexec.model.endpoint.HeaderRules;
import io.taskexec.model.endpoint.HttpAccess;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.request.Fields;
import io.taskexec.template.Template;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads and checks the spec of an HTTP endpoint. */
public final class HttpSpecRequests {
    private static final Pattern AFTER_HOST = Pattern.compile("(?:[A-Za-z]+://)?+[^/?#]+[/?#].*");

    private HttpSpecRequests() {}

    public static HttpSpec read(Fields fields) {
        return read(fields, IdentityRequests.read(fields), HttpAccessRequests.read(fields));
    }

    /** Reads a spec without anything that needs a secret. */
    static HttpSpec readWithoutSecrets(Fields fields) {
        return read(fields, IdentityRequests.readUnsigned(fields), null);
    }

    private static HttpSpec read(Fields fields, IdentitySpec identity, @Nullable HttpAccess access) {
        return new HttpSpec(
                fields.text("url"),
                fields.choice("method", HttpSpec.Method.class).name(),
                HeaderRequests.read(fields, HttpSpecRequests::headerViolation),
                fields.optionalTree("body_template"),
                fields.milliseconds("timeout_ms"),
                expected(fields),
                identity,
                access);
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
        fields.array("expected_status_codes").forEach(code -> codes.add(Json.isInt(code) ? code.intValue() : 0));
        if (!codes.stream().allMatch(code -> code >= 200 && code <= 599)) {
            fields.violation("expected_status_codes", "must hold HTTP status codes from 200 to 599");
        }
        return codes.stream().sorted().toList();
    }

    /** Hands the templates of {@code spec} to {@code templates}. */
    public static void parse(HttpSpec spec, SpecTemplates templates) {
        checkHost(templates.text("url", spec.url()), templates);
        templates.texts("headers", spec.headers());
        templates.tree("body_template", spec.bodyTemplate());
        if (spec.access() != null) {
            HttpAccessRequests.parse(spec.access(), templates);
        }
    }

    /** Jobs may fill in the path and the query of a URL, but never decide whose host gets the request. */
    private static void checkHost(Template url, SpecTemplates templates) {
        var before = url.beforeValueOfJob();
        if (before != null && !AFTER_HOST.matcher(before).matches()) {
            throw templates.refused(
                    "url",
                    "In 'url', only {{config.*}} and {{secret.*}} may stand before the end of the host: put a '/' or"
                            + " '?' before the other ones.");
        }
    }
}
