package io.taskexec.observe.trace;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads lists of names and values the way OpenTelemetry writes them into one setting. */
final class Pairs {
    private Pairs() {}

    /** @throws IllegalArgumentException with the reason, and without a value, when {@code text} is no such list */
    static Map<String, String> of(String setting, Optional<String> text) {
        var pairs = new LinkedHashMap<String, String>();
        for (var pair : text.orElse("").split(",", -1)) {
            if (pair.isBlank()) {
                continue;
            }
            var middle = pair.indexOf('=');
            if (middle < 1) {
                throw new IllegalArgumentException(setting + " must be name=value[,name=value...]");
            }
            pairs.put(pair.substring(0, middle).strip(), decode(setting, pair.substring(middle + 1)));
        }
        return pairs;
    }

    private static String decode(String setting, String value) {
        try {
            // A plus stands for itself here.
            return URLDecoder.decode(value.strip().replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException(setting + " has a value that is not percent-encoded");
        }
    }
}
