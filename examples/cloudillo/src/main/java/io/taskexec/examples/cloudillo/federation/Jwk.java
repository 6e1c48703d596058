package io.taskexec.examples.cloudillo.federation;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.taskexec.client.Json;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A key for ES384 as JSON (RFC 7517).
 *
 * @param kty {@code EC}
 * @param crv {@code P-384}
 * @param x of the point, in base64url
 * @param y of the point
 * @param kid its thumbprint (RFC 7638)
 * @param d the private part; null in what others get
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Jwk(
        String kty,
        String crv,
        String x,
        String y,
        String kid,
        @Nullable String d) {
    private static final String TYPE = "EC";
    private static final String CURVE = "P-384";

    /** Makes a new key. */
    public static Jwk generate() {
        try {
            var generator = KeyPairGenerator.getInstance(TYPE);
            generator.initialize(new ECGenParameterSpec(Es384.CURVE));
            var pair = generator.generateKeyPair();
            var point = ((ECPublicKey) pair.getPublic()).getW();
            return of(point.getAffineX(), point.getAffineY(), ((ECPrivateKey) pair.getPrivate()).getS());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java has no ES384.", e);
        }
    }

    static Jwk of(BigInteger x, BigInteger y, @Nullable BigInteger d) throws GeneralSecurityException {
        var members = "{\"crv\":\"%s\",\"kty\":\"%s\",\"x\":\"%s\",\"y\":\"%s\"}"
                .formatted(CURVE, TYPE, encode(x), encode(y));
        var thumbprint = MessageDigest.getInstance("SHA-256").digest(members.getBytes(StandardCharsets.US_ASCII));
        return new Jwk(
                TYPE,
                CURVE,
                encode(x),
                encode(y),
                Base64.getUrlEncoder().withoutPadding().encodeToString(thumbprint),
                d == null ? null : encode(d));
    }

    /** Reads a key that {@link #write} has written. */
    public static Jwk parse(String json) throws JsonProcessingException {
        return Json.data().readValue(json, Jwk.class);
    }

    /** Writes the key with its private part. */
    public String write() {
        return Json.data().valueToTree(this).toString();
    }

    private static String encode(BigInteger number) {
        var bytes = number.toByteArray();
        var from = Math.max(0, bytes.length - Es384.COORDINATE_BYTES);
        var fixed = new byte[Es384.COORDINATE_BYTES];
        System.arraycopy(bytes, from, fixed, fixed.length - (bytes.length - from), bytes.length - from);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(fixed);
    }

    private static BigInteger decode(String text) {
        return new BigInteger(1, Base64.getUrlDecoder().decode(text));
    }

    /** Returns what others may have of the key. */
    public Jwk withoutPrivatePart() {
        return new Jwk(kty, crv, x, y, kid, null);
    }

    PublicKey publicKey() throws GeneralSecurityException {
        if (!TYPE.equals(kty) || !CURVE.equals(crv)) {
            throw new GeneralSecurityException("This key is not one for ES384.");
        }
        try {
            return Es384.publicKey(decode(x), decode(y));
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("The key is no base64url.", e);
        }
    }

    PrivateKey privateKey() throws GeneralSecurityException {
        if (d == null) {
            throw new GeneralSecurityException("The key has no private part.");
        }
        return Es384.privateKey(decode(d));
    }

    /** Shows no private part. */
    @Override
    public String toString() {
        return "Jwk[" + kid + "]";
    }
}
