package io.taskexec.observe.trace;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads settings as OpenTelemetry asks for it: a value that cannot be used counts as not set, and costs a warning. No
 * warning shows a value, since it may have a password in it.
 */
final class LenientReader {
    private final List<String> warnings = new ArrayList<>();

    List<String> warnings() {
        return warnings;
    }

    /**
     * @param expected what the value must be, for the warning
     * @param parse throws IllegalArgumentException for a value that cannot be used
     */
    <T> Optional<T> read(String name, Optional<String> value, String expected, Function<String, T> parse) {
        try {
            return value.map(String::strip).map(parse);
        } catch (IllegalArgumentException _) {
            warnings.add("%s is ignored: it must be %s.".formatted(name, expected));
            return Optional.empty();
        }
    }

    /** @param words that it may be; the first is the default */
    String word(String name, Optional<String> value, List<String> words) {
        return read(
                        name,
                        value,
                        String.join(" or ", words),
                        text -> words.stream()
                                .filter(text::equalsIgnoreCase)
                                .findFirst()
                                .orElseThrow(IllegalArgumentException::new))
                .orElse(words.getFirst());
    }

    /** A list of names and percent-encoded values. */
    Map<String, String> pairs(String name, Optional<String> value) {
        return read(name, value, "name=value[,name=value...], percent-encoded", LenientReader::parsePairs)
                .orElse(Map.of());
    }

    private static Map<String, String> parsePairs(String text) {
        var pairs = new LinkedHashMap<String, String>();
        for (var pair : text.split(",", -1)) {
            var middle = pair.indexOf('=');
            if (middle >= 1) {
                // A plus stands for itself here.
                var encoded = pair.substring(middle + 1).strip().replace("+", "%2B");
                pairs.put(pair.substring(0, middle).strip(), URLDecoder.decode(encoded, StandardCharsets.UTF_8));
            } else if (!pair.isBlank()) {
                throw new IllegalArgumentException();
            }
        }
        return pairs;
    }
}
