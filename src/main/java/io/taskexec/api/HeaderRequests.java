package io.taskexec.api;

import io.taskexec.model.HeaderRules;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the headers of a spec, and says which one is wrong. */
final class HeaderRequests {
    private static final String FIELD = "headers";

    private HeaderRequests() {}

    /**
     * The headers, whose rules are not those of templates.
     *
     * @param rule what is wrong with some headers, as the end of a sentence; null for nothing
     */
    static Map<String, String> read(Fields fields, int max, Function<Map<String, String>, @Nullable String> rule) {
        var headers = fields.texts(FIELD, max);
        if (rule.apply(headers) == null) {
            return headers;
        }
        var wrong = headers.entrySet().stream()
                // A name that is too long would not help in an answer.
                .filter(header -> header.getKey().length() <= HeaderRules.MAX_NAME_LENGTH)
                .filter(header -> rule.apply(Map.of(header.getKey(), header.getValue())) != null)
                .findFirst();
        wrong.ifPresentOrElse(
                header -> fields.violation(
                        FIELD, header.getKey(), String.valueOf(rule.apply(Map.of(header.getKey(), header.getValue())))),
                () -> fields.violation(FIELD, String.valueOf(rule.apply(headers))));
        return headers;
    }
}
