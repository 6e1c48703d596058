package io.taskexec.template;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;

/** Writes a resolved value into a text. */
@FunctionalInterface
interface TextOf {
    /** The text of {@code value}; throws UnresolvableException when it can have none. */
    String text(Reference reference, JsonNode value);

    /** The text of a value as it is. */
    static String value(Reference reference, JsonNode value) {
        if (value.isNull()) {
            throw new UnresolvableException(reference, reference + " is null, which has no text");
        }
        return value.isValueNode() ? value.asText() : value.toString();
    }

    /** The text of a value within a URL. */
    static String urlValue(Reference reference, JsonNode value) {
        var text = value(reference, value);
        if (!reference.namespace().isOfJob()) {
            return text;
        }
        if (text.equals(".") || text.equals("..")) {
            throw new UnresolvableException(reference, "'.' and '..' would lead to another path of the URL");
        }
        return percentEncoded(text);
    }

    /** The text of a value within one part of a URL. */
    static String encodedValue(Reference reference, JsonNode value) {
        return percentEncoded(value(reference, value));
    }

    private static String percentEncoded(String text) {
        // The JDK encodes for HTML forms, which differs from RFC 3986 in just these three characters.
        return URLEncoder.encode(text, UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }
}
