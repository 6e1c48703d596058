package io.taskexec.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.everit.json.schema.ValidationException;

/** Words the library's findings for the client. */
final class Report {
    static final int MAX_VIOLATIONS = 50;

    private static final Pattern WRONG_TYPE = Pattern.compile("expected type: (\\w+), found: (\\w+)");
    private static final Map<String, String> JSON_TYPES = Map.ofEntries(
            Map.entry("JSONObject", "object"),
            Map.entry("BriefObject", "object"),
            Map.entry("JSONArray", "array"),
            Map.entry("BriefArray", "array"),
            Map.entry("String", "string"),
            Map.entry("Boolean", "boolean"),
            Map.entry("Integer", "integer"),
            Map.entry("Long", "integer"),
            Map.entry("BigInteger", "integer"),
            Map.entry("Number", "number"),
            Map.entry("BigDecimal", "number"),
            Map.entry("Null", "null"));

    private Report() {}

    /** The failures that have no others behind them, at most {@value #MAX_VIOLATIONS}. */
    static List<Violation> of(ValidationException failure, JsonNode input) {
        return leaves(failure)
                .limit(MAX_VIOLATIONS)
                .map(leaf -> new Violation(Pointer.of(leaf.getPointerToViolation(), input), message(leaf)))
                .toList();
    }

    private static Stream<ValidationException> leaves(ValidationException failure) {
        var causes = failure.getCausingExceptions();
        return causes.isEmpty() ? Stream.of(failure) : causes.stream().flatMap(Report::leaves);
    }

    private static String message(ValidationException leaf) {
        var message = leaf.getErrorMessage();
        if (message.isEmpty()) {
            return "does not satisfy '" + leaf.getKeyword() + "'";
        }
        var types = WRONG_TYPE.matcher(message);
        return types.matches()
                ? "expected type: " + jsonType(types.group(1)) + ", found: " + jsonType(types.group(2))
                : Excerpt.of(message);
    }

    private static String jsonType(String javaType) {
        return JSON_TYPES.getOrDefault(javaType, javaType);
    }
}
