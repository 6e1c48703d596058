package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * Signs texts that a browser keeps and sends back. They can be read, and nothing is stored: all processes with the same
 * keys take what one of them has signed.
 */
public final class SignedTexts {
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final int MAX_LENGTH = 1024;

    /** The use of a text. One that was signed for another use is unknown. */
    public enum Use {
        /** The session of a person who has logged in. */
        SESSION,
        /** The mark of a form that belongs to a session. */
        FORM,
        /** The mark of the first API key, by which it is known again. */
        FIRST_KEY,
        /** The mark of the settings by which a person was let in. */
        PERSON,
        /** What is kept while a person is at the identity provider. */
        OIDC;

        private byte[] bytes() {
            return ("taskexec " + name()).getBytes(UTF_8);
        }
    }

    private final KeyRing keys;

    public SignedTexts(KeyRing keys) {
        this.keys = keys;
    }

    /** The text with a signature: letters, digits, {@code .}, {@code -} and {@code _}. */
    public String sign(Use use, String text) {
        var id = keys.activeId();
        return id + "." + ENCODER.encodeToString(text.getBytes(UTF_8)) + "."
                + mac(requireNonNull(keys.find(id)), use, text);
    }

    /** The text that was signed; null when that was not done here, or for another use. */
    public @Nullable String read(Use use, String signed) {
        var parts = signed.length() > MAX_LENGTH ? new String[0] : signed.split("\\.", -1);
        var key = parts.length == 3 ? keys.find(parts[0]) : null;
        var text = key == null ? null : decode(parts[1]);
        return key != null && text != null && equal(mac(key, use, text), parts[2]) ? text : null;
    }

    /** A mark of {@code text}, which does not show it. */
    public String mark(Use use, String text) {
        return mac(requireNonNull(keys.find(keys.activeId())), use, text);
    }

    /** Whether {@code mark} is one of {@code text}, in a time that does not depend on how much of it is right. */
    public boolean isMark(Use use, String text, String mark) {
        return equal(mark(use, text), mark);
    }

    private static boolean equal(String expected, String given) {
        return MessageDigest.isEqual(expected.getBytes(UTF_8), given.getBytes(UTF_8));
    }

    private static String mac(SecretKey key, Use use, String text) {
        return ENCODER.encodeToString(DerivedMac.of(key, use.bytes(), text.getBytes(UTF_8)));
    }

    private static @Nullable String decode(String text) {
        try {
            return new String(Base64.getUrlDecoder().decode(text), UTF_8);
        } catch (IllegalArgumentException _) {
            return null;
        }
    }
}
