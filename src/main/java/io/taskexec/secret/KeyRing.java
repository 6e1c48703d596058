package io.taskexec.secret;

import static java.util.Objects.requireNonNull;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys that secrets are encrypted with: the first one encrypts, all of them decrypt, so that a key is replaced by
 * putting its successor in front and encrypting again. Immutable. No message and no string form contains key material.
 */
public final class KeyRing {
    private static final String ALGORITHM = "AES";
    private static final int KEY_BYTES = 32;
    private static final Pattern ID = Pattern.compile("[a-z0-9-]{1,16}");

    private final Map<String, SecretKey> keys;
    private final String activeId;

    private KeyRing(Map<String, SecretKey> keys) {
        this.keys = Collections.unmodifiableMap(keys);
        this.activeId = keys.keySet().iterator().next();
    }

    /**
     * Reads {@code id:base64[,id:base64...]}, where an id is 1 to 16 of {@code a-z 0-9 -} and a key is 32 bytes. White
     * space around the entries does not matter. Throws IllegalArgumentException with a sentence for the operator.
     */
    public static KeyRing parse(String text) {
        var keys = new LinkedHashMap<String, SecretKey>();
        // The limit of -1 keeps a trailing comma from going unnoticed.
        for (var entry : text.split(",", -1)) {
            var position = keys.size() + 1;
            var colon = entry.indexOf(':');
            // An entry is quoted in no message, because what looks like an id may be a misplaced key.
            check(colon >= 0, "key " + position + " of the key ring is not of the form id:base64");
            var id = entry.substring(0, colon).strip();
            check(isId(id), "the id of key " + position + " of the key ring is not 1 to 16 of a-z, 0-9 and -");
            check(!keys.containsKey(id), "the key ring has two keys with the id '" + id + "'");
            keys.put(id, key(id, entry.substring(colon + 1).strip()));
        }
        return new KeyRing(keys);
    }

    /**
     * The same, and the key that encrypts is not one byte over and over, as a placeholder is. Behind it such a key may
     * stay, so that what it has encrypted can be read until it is encrypted again.
     */
    public static KeyRing parseForUse(String text) {
        var ring = parse(text);
        var active = requireNonNull(ring.keys.get(ring.activeId)).getEncoded();
        check(
                IntStream.range(1, active.length).anyMatch(i -> active[i] != active[0]),
                "key '" + ring.activeId + "' of the key ring is the same byte over and over");
        return ring;
    }

    /** A fresh key ring of one random key, as {@link #parse} reads it. */
    public static String generate() {
        var key = new byte[KEY_BYTES];
        // Not a constant: a generator in the image heap of a native executable would not be random.
        new SecureRandom().nextBytes(key);
        return "k1:" + Base64.getEncoder().encodeToString(key);
    }

    /** The id of the key that encrypts. */
    public String activeId() {
        return activeId;
    }

    @Nullable
    SecretKey find(String id) {
        return keys.get(id);
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    @Override
    public String toString() {
        return "KeyRing" + keys.keySet();
    }

    private static SecretKey key(String id, String base64) {
        var key = decode(id, base64);
        check(key.length == KEY_BYTES, "key '" + id + "' of the key ring has " + key.length + " bytes instead of 32");
        return new SecretKeySpec(key, ALGORITHM);
    }

    private static byte[] decode(String id, String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException _) {
            // Without the cause, whose message quotes the text.
            throw new IllegalArgumentException("key '" + id + "' of the key ring is not valid base64");
        }
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
