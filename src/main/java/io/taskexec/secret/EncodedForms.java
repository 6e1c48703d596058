package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** The forms of a secret: one for each way in which {@link View} makes all spellings of a notation alike. */
final class EncodedForms {
    private static final int SEXTET = 6;
    /** A shorter one would be found across words that are no secret. */
    private static final int LEAST_FOLDED = 8;

    private static final int MAX_ASCII = 0x7f;
    private static final int MAX_LATIN_1 = 0xff;

    private EncodedForms() {}

    /** The forms of this secret. */
    static List<Needle> of(String secret) {
        var needles = new ArrayList<Needle>();
        add(secret, needles);
        bareKey(secret).forEach(value -> add(value, needles));
        needles.removeIf(needle -> needle.text().length()
                < (needle.form() == Form.FOLDED ? LEAST_FOLDED : needle.form().least()));
        return needles;
    }

    /** A key for signatures without what tells its kind: libraries take it in both forms. */
    private static List<String> bareKey(String value) {
        var hasKind = value.startsWith(WebhookKey.SHARED) || value.startsWith(WebhookKey.PRIVATE);
        return hasKind ? List.of(value.substring(value.indexOf('_') + 1)) : List.of();
    }

    private static void add(String value, List<Needle> needles) {
        needles.add(new Needle(Form.EXACT, value, 0, 0));
        var plain = DecodedText.of(value);
        var unescaped = plain.unescaped();
        needles.add(folded(plain));
        if (unescaped != plain) {
            // The same is done with the text.
            needles.add(folded(unescaped));
        }
        for (var bytes : encoded(value)) {
            addBase64(bytes, needles);
            needles.add(new Needle(Form.HEX, HexFormat.of().formatHex(bytes), 0, 0));
        }
        needles.add(new Needle(Form.NUMBERS, new String(value.getBytes(UTF_8), ISO_8859_1), 0, 0));
    }

    private static Needle folded(DecodedText value) {
        var before = 0;
        while (before < value.length() && CharacterKinds.isDropped(value.charAt(before))) {
            before++;
        }
        var after = 0;
        while (after < value.length() && CharacterKinds.isDropped(value.charAt(value.length() - 1 - after))) {
            after++;
        }
        return new Needle(Form.FOLDED, View.folded(value).text(), before, after);
    }

    private static List<byte[]> encoded(String value) {
        var encoded =
                new ArrayList<>(List.of(value.getBytes(UTF_8), value.getBytes(UTF_16LE), value.getBytes(UTF_16BE)));
        var highest = value.chars().max().orElse(0);
        if (highest > MAX_ASCII && highest <= MAX_LATIN_1) {
            encoded.add(value.getBytes(ISO_8859_1));
        }
        return encoded;
    }

    /**
     * The part that stays the same within a longer base64 text, as in the header of HTTP basic authentication, for each
     * of the three ways in which the bytes can meet the groups of three.
     */
    private static void addBase64(byte[] bytes, List<Needle> needles) {
        for (var shift = 0; shift < 3; shift++) {
            var shifted = new byte[shift + bytes.length];
            System.arraycopy(bytes, 0, shifted, shift, bytes.length);
            var encoded = Base64.getEncoder().withoutPadding().encodeToString(shifted);
            var firstOwn = Math.ceilDiv(shift * Byte.SIZE, SEXTET);
            var afterLastOwn = shifted.length * Byte.SIZE / SEXTET;
            var isSharedAfter = shifted.length * Byte.SIZE % SEXTET != 0;
            needles.add(new Needle(
                    Form.BASE64, encoded.substring(firstOwn, afterLastOwn), shift > 0 ? 1 : 0, isSharedAfter ? 1 : 0));
        }
    }
}
