package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * Makes API keys and recognises them by their fingerprints. The keys are random, so that a plain SHA-256 cannot be
 * guessed back and no slow hash is needed.
 */
public final class ApiKeys {
    private static final String PREFIX = "te_";
    private static final String DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final BigInteger BASE = BigInteger.valueOf(DIGITS.length());
    private static final int RANDOM_BITS = 256;
    /** The digits of 256 bits in base 62. */
    private static final int RANDOM_DIGITS = 43;

    private static final String ID_PREFIX = "key_";
    private static final int ID_BITS = 64;
    private static final int ID_DIGITS = 11;

    private ApiKeys() {}

    /** A new key: {@code te_} and 43 base-62 digits of 256 random bits. */
    public static String generate() {
        return random(PREFIX, RANDOM_BITS, RANDOM_DIGITS);
    }

    /** A new id for a key, which is no secret. */
    public static String generateId() {
        return random(ID_PREFIX, ID_BITS, ID_DIGITS);
    }

    /** Whether {@code key} can be one of {@link #generate}; another text need not be looked for. */
    public static boolean isWellFormed(String key) {
        return key.length() == PREFIX.length() + RANDOM_DIGITS
                && key.startsWith(PREFIX)
                && key.chars().skip(PREFIX.length()).allMatch(digit -> DIGITS.indexOf(digit) >= 0);
    }

    private static String random(String prefix, int bits, int digits) {
        var rest = new BigInteger(bits, new SecureRandom());
        var key = new StringBuilder(prefix);
        for (var digit = 0; digit < digits; digit++) {
            key.append(DIGITS.charAt(rest.mod(BASE).intValue()));
            rest = rest.divide(BASE);
        }
        return key.toString();
    }

    /** The SHA-256 of {@code key}, which is what is stored of it. */
    public static byte[] fingerprint(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
