package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The forms that a value takes when it is put into JSON, into a URL or into base64. */
final class Disguise {
    private static final Pattern PERCENT_ENCODED = Pattern.compile("%[0-9A-F]{2}");
    private static final int SEXTET = 6;

    private Disguise() {}

    /** The value itself and its other forms. */
    static Set<String> formsOf(String value) {
        var forms = new LinkedHashSet<String>();
        forms.add(value);
        addBareKey(value, forms);
        forms.add(json(value, Character.MAX_VALUE));
        forms.add(json(value, '~'));
        addUrlForms(value, forms);
        addBase64Forms(value, Base64.getEncoder(), forms);
        addBase64Forms(value, Base64.getUrlEncoder(), forms);
        return forms;
    }

    /** A key for signatures without what tells its kind: libraries take it in both forms. */
    private static void addBareKey(String value, Set<String> forms) {
        if (value.startsWith(WebhookKey.SHARED) || value.startsWith(WebhookKey.PRIVATE)) {
            forms.add(value.substring(value.indexOf('_') + 1));
        }
    }

    /** As within a JSON string, with characters above {@code last} written as {@code \}{@code uXXXX}. */
    private static String json(String value, char last) {
        var json = new StringBuilder();
        value.chars().forEach(c -> json.append(jsonCharacter((char) c, last)));
        return json.toString();
    }

    private static String jsonCharacter(char c, char last) {
        return switch (c) {
            case '"', '\\' -> "\\" + c;
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            case '\b' -> "\\b";
            case '\f' -> "\\f";
            default -> c < ' ' || c > last ? "\\u%04x".formatted((int) c) : String.valueOf(c);
        };
    }

    private static void addUrlForms(String value, Set<String> forms) {
        var form = URLEncoder.encode(value, UTF_8);
        var percent = form.replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
        for (var encoded : List.of(form, percent)) {
            forms.add(encoded);
            forms.add(PERCENT_ENCODED
                    .matcher(encoded)
                    .replaceAll(escape -> escape.group().toLowerCase(Locale.ROOT)));
        }
    }

    /**
     * As a base64 text of its own, and what stays the same of it within a longer one, as in the header of HTTP basic
     * authentication, for each of the three ways in which its bytes can meet the groups of three.
     */
    private static void addBase64Forms(String value, Base64.Encoder encoder, Set<String> forms) {
        var bytes = value.getBytes(UTF_8);
        forms.add(encoder.encodeToString(bytes));
        for (var shift = 0; shift < 3; shift++) {
            var shifted = new byte[shift + bytes.length];
            System.arraycopy(bytes, 0, shifted, shift, bytes.length);
            var encoded = encoder.withoutPadding().encodeToString(shifted);
            var firstOwn = Math.ceilDiv(shift * Byte.SIZE, SEXTET);
            var afterLastOwn = shifted.length * Byte.SIZE / SEXTET;
            forms.add(encoded.substring(firstOwn, afterLastOwn));
        }
    }
}
