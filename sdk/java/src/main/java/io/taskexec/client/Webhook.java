package io.taskexec.client;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Verifies signed deliveries in a receiver, as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> says.
 * All attempts of an execution have the same id. Remember it for as long as the endpoint may retry, and at least twice
 * the tolerance, so that nothing is done twice.
 */
public final class Webhook {
    private static final String HMAC_KEY = "whsec_";
    private static final String PUBLIC_KEY = "whpk_";

    /** The bytes before the key in an X.509 structure for Ed25519. */
    private static final byte[] ED25519_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

    private static final int ED25519_LENGTH = 32;

    private final List<Verifier> keys;
    private final Clock clock;
    private final Duration tolerance;

    private Webhook(List<Verifier> keys, Clock clock, Duration tolerance) {
        this.keys = keys;
        this.clock = clock;
        this.tolerance = tolerance;
    }

    /** Checks one signature with one key. */
    private interface Verifier {
        boolean accepts(String signature, byte[] signed) throws GeneralSecurityException;
    }

    /**
     * A delivery whose signature is valid.
     *
     * @param id of the execution, the same in each attempt
     * @param at the time of the attempt
     */
    public record Delivery(String id, Instant at) {}

    /** A delivery that must be refused, with 401. */
    public static final class InvalidSignatureException extends Exception {
        private static final long serialVersionUID = 1;

        InvalidSignatureException(String message) {
            super(message);
        }
    }

    /**
     * Makes a verifier that accepts timestamps of at most five minutes before or after now.
     *
     * @param keys {@code whsec_...} or {@code whpk_...}; several while keys are rotated, of which one must fit
     * @return the verifier
     */
    public static Webhook of(String... keys) {
        if (keys.length == 0) {
            throw new IllegalArgumentException("There must be a key.");
        }
        return new Webhook(
                Arrays.stream(keys).map(Webhook::verifier).toList(), Clock.systemUTC(), Duration.ofMinutes(5));
    }

    /**
     * Returns a verifier with another tolerance.
     *
     * @param time how far timestamps may be off
     * @return a new verifier
     */
    public Webhook tolerance(Duration time) {
        return new Webhook(keys, clock, time);
    }

    Webhook at(Clock other) {
        return new Webhook(keys, other, tolerance);
    }

    /**
     * Verifies a delivery.
     *
     * @param headers returns the value of a header, or null; called with lower-case names
     * @param body as it was received, before it is parsed
     * @return the delivery
     * @throws InvalidSignatureException when it must be refused
     */
    public Delivery verify(Function<String, @Nullable String> headers, byte[] body) throws InvalidSignatureException {
        var id = header(headers, "webhook-id");
        var timestamp = header(headers, "webhook-timestamp");
        var signatures = header(headers, "webhook-signature");
        var at = time(timestamp);
        var signed = signed(id + "." + timestamp + ".", body);
        for (var signature : signatures.split(" ", -1)) {
            if (isValid(signature, signed)) {
                return new Delivery(id, at);
            }
        }
        throw new InvalidSignatureException("No signature is valid.");
    }

    private static String header(Function<String, @Nullable String> headers, String name)
            throws InvalidSignatureException {
        var value = headers.apply(name);
        if (value == null) {
            throw new InvalidSignatureException("The header " + name + " is missing.");
        }
        return value;
    }

    private Instant time(String timestamp) throws InvalidSignatureException {
        if (!timestamp.matches("\\d{1,12}")) {
            throw new InvalidSignatureException("The timestamp is no number of seconds.");
        }
        var at = Instant.ofEpochSecond(Long.parseLong(timestamp));
        if (Duration.between(at, clock.instant()).abs().compareTo(tolerance) > 0) {
            throw new InvalidSignatureException("The timestamp is too far from now.");
        }
        return at;
    }

    private static byte[] signed(String head, byte[] body) {
        var start = head.getBytes(StandardCharsets.UTF_8);
        var all = Arrays.copyOf(start, start.length + body.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        return all;
    }

    private boolean isValid(String signature, byte[] signed) {
        for (var key : keys) {
            try {
                if (key.accepts(signature, signed)) {
                    return true;
                }
            } catch (GeneralSecurityException | IllegalArgumentException e) {
                // Not a signature of this key: it is malformed.
            }
        }
        return false;
    }

    private static Verifier verifier(String key) {
        if (key.startsWith(HMAC_KEY)) {
            return hmac(Base64.getDecoder().decode(key.substring(HMAC_KEY.length())));
        }
        if (key.startsWith(PUBLIC_KEY)) {
            return ed25519(Base64.getDecoder().decode(key.substring(PUBLIC_KEY.length())));
        }
        throw new IllegalArgumentException("A key begins with whsec_ or whpk_.");
    }

    private static Verifier hmac(byte[] key) {
        return (signature, signed) -> {
            if (!signature.startsWith("v1,")) {
                return false;
            }
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return MessageDigest.isEqual(
                    mac.doFinal(signed), Base64.getDecoder().decode(signature.substring(3)));
        };
    }

    private static Verifier ed25519(byte[] key) {
        if (key.length != ED25519_LENGTH) {
            throw new IllegalArgumentException("An Ed25519 public key has 32 bytes.");
        }
        var encoded = Arrays.copyOf(ED25519_PREFIX, ED25519_PREFIX.length + key.length);
        System.arraycopy(key, 0, encoded, ED25519_PREFIX.length, key.length);
        PublicKey publicKey;
        try {
            publicKey = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("This is no Ed25519 public key.", e);
        }
        return (signature, signed) -> {
            if (!signature.startsWith("v1a,")) {
                return false;
            }
            var check = Signature.getInstance("Ed25519");
            check.initVerify(publicKey);
            check.update(signed);
            return check.verify(Base64.getDecoder().decode(signature.substring(4)));
        };
    }
}
