package io.taskexec.request.spec;

import io.taskexec.model.endpoint.HeaderRules;
import io.taskexec.request.Fields;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the headers of a spec, and says which ones are wrong. */
public final class HeaderRequests {
    private static final String FIELD = "headers";

    private HeaderRequests() {}

    /**
     * The headers, whose rules are not those of templates.
     *
     * @param rule what is wrong with some headers, as the end of a sentence; null for nothing
     */
    public static Map<String, String> read(Fields fields, Function<Map<String, String>, @Nullable String> rule) {
        var headers = fields.texts(FIELD);
        var wrong = rule.apply(headers);
        if (wrong == null) {
            return headers;
        }
        var isTold = false;
        for (var header : headers.entrySet()) {
            var violation = rule.apply(Map.of(header.getKey(), header.getValue()));
            if (violation == null) {
                continue;
            }
            isTold = true;
            // A name that is too long would not help in an answer.
            if (header.getKey().length() <= HeaderRules.MAX_NAME_LENGTH) {
                fields.violation(FIELD, header.getKey(), violation);
            } else {
                fields.violation(FIELD, violation);
            }
        }
        if (!isTold) {
            fields.violation(FIELD, wrong);
        }
        return headers;
    }
}
