package io.taskexec.dispatch.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;
import java.util.Map;

/** Writes the attributes of CloudEvents as a transport has them beside the data, which is the binary mode. */
public enum CloudEventBinding {
    /**
     * HTTP protocol binding, 3.1.3: what is not visible ASCII is percent-encoded, and the quote and the percent too.
     */
    HTTP("ce-") {
        @Override
        String written(String value) {
            return isPlain(value) ? value : percentEncoded(value);
        }
    },

    /** Kafka protocol binding, 3.2.3: values are UTF-8 as they are. */
    UNDERSCORE("ce_") {
        @Override
        String written(String value) {
            return value;
        }
    };

    private final String prefix;

    CloudEventBinding(String prefix) {
        this.prefix = prefix;
    }

    abstract String written(String value);

    /** Adds an attribute to {@code values}. */
    void put(Map<String, String> values, String attribute, String value) {
        values.put(prefix + attribute, written(value));
    }

    private static boolean isPlain(String value) {
        return value.chars().allMatch(CloudEventBinding::isPlain);
    }

    private static boolean isPlain(int character) {
        return character > ' ' && character < 0x7f && character != '"' && character != '%';
    }

    private static String percentEncoded(String value) {
        var encoded = new StringBuilder();
        for (var octet : value.getBytes(UTF_8)) {
            if (isPlain(octet)) {
                encoded.append((char) octet);
            } else {
                encoded.append('%').append(HexFormat.of().withUpperCase().toHexDigits(octet));
            }
        }
        return encoded.toString();
    }
}
