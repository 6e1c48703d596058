package io.taskexec.model.endpoint;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the HTTP headers that a user adds to a request. Values are never repeated in the answers, since they may be
 * secret.
 */
public final class HeaderRules {
    /** The most headers of one request. */
    public static final int MAX_COUNT = 64;

    /** The longest name, in characters. */
    public static final int MAX_NAME_LENGTH = 256;

    /** The longest value, in characters. */
    public static final int MAX_VALUE_LENGTH = 8_192;

    /** A token (RFC 9110, 5.6.2). */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    /**
     * The characters that RFC 9110, 5.5 allows in new fields; anything else may change on its way, or end the header.
     */
    private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e]*");

    /** They frame the message or belong to one connection (RFC 9110, 7.6.1), or are reserved. */
    private static final Set<String> RESERVED = Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "upgrade",
            "http2-settings",
            "te",
            "trailer",
            "expect",
            "idempotency-key");

    /** They carry the identity of a delivery as well; endpoints from before they did may still have them. */
    private static final Set<String> OF_IDENTITY = Set.of("traceparent", "tracestate");

    private HeaderRules() {}

    /** Returns the fault of {@code headers}, as a sentence; null when there is none. */
    public static @Nullable String violation(Map<String, String> headers) {
        if (headers.size() > MAX_COUNT) {
            return "More than " + MAX_COUNT + " headers";
        }
        if (headers.isEmpty()) {
            return null;
        }
        var seen = new HashSet<String>();
        for (var header : headers.entrySet()) {
            var violation = violation(header.getKey(), header.getValue());
            if (violation != null) {
                return violation;
            }
            if (!seen.add(lower(header.getKey()))) {
                return "Header " + header.getKey() + " is given twice";
            }
        }
        return null;
    }

    /**
     * Returns the fault of {@code headers} of an endpoint at registration, as a sentence; null when there is none. It
     * is more than for one that was registered before: what it sends is left as it is.
     */
    public static @Nullable String registrationViolation(Map<String, String> headers) {
        var violation = violation(headers);
        return violation != null
                ? violation
                : headers.keySet().stream()
                        .filter(name -> isOfIdentity(lower(name)))
                        .findFirst()
                        .map(HeaderRules::reserved)
                        .orElse(null);
    }

    /** Returns the fault of a name, as a sentence; null when there is none. */
    public static @Nullable String nameViolation(String name) {
        if (name.length() > MAX_NAME_LENGTH) {
            return "A header name is longer than " + MAX_NAME_LENGTH + " characters";
        }
        if (!TOKEN.matcher(name).matches()) {
            return "A header name may only have letters, digits and !#$%&'*+.^_`|~-";
        }
        return isReserved(lower(name)) ? reserved(name) : null;
    }

    /** Whether {@code text} is a token (RFC 9110, 5.6.2), as names of headers and of methods must be. */
    public static boolean isToken(String text) {
        return TOKEN.matcher(text).matches();
    }

    private static @Nullable String violation(String name, String value) {
        var violation = nameViolation(name);
        if (violation != null) {
            return violation;
        }
        if (value.length() > MAX_VALUE_LENGTH) {
            return "The value of header " + name + " is longer than " + MAX_VALUE_LENGTH + " characters";
        }
        return VALUE.matcher(value).matches()
                ? null
                : "The value of header " + name + " has characters other than visible ASCII, space and tab";
    }

    private static boolean isReserved(String name) {
        return RESERVED.contains(name) || name.startsWith("proxy-") || name.startsWith("taskexec-");
    }

    private static boolean isOfIdentity(String name) {
        return OF_IDENTITY.contains(name) || name.startsWith("webhook-") || name.startsWith("ce-");
    }

    private static String reserved(String name) {
        return "Header " + name + " is reserved";
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
