package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts secrets with AES-256-GCM (NIST SP 800-38D), a random 96-bit nonce and a 128-bit tag. The name of the secret
 * is authenticated too, so that stored values cannot be swapped. Thread-safe.
 */
public final class SecretCipher {
    private static final String TRANSFORMATION = "AES/GCM/NoPadding";

    private final KeyRing keys;
    private final SecureRandom random = new SecureRandom();

    public SecretCipher(KeyRing keys) {
        this.keys = keys;
    }

    /**
     * The stored form of {@code plaintext}, by the active key and different each time. Throws IllegalArgumentException
     * for a text with half a surrogate pair, which would not come back as it was.
     */
    public byte[] encrypt(String name, String plaintext) {
        var nonce = new byte[Envelope.NONCE_BYTES];
        random.nextBytes(nonce);
        var keyId = keys.activeId();
        try {
            var cipher = cipher(Cipher.ENCRYPT_MODE, keyId, nonce, name);
            return new Envelope(keyId, nonce, cipher.doFinal(encode(name, plaintext))).write();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime cannot encrypt with " + TRANSFORMATION, e);
        }
    }

    /** The plaintext of what {@link #encrypt} made for the same name; throws SecretUnreadableException. */
    public String decrypt(String name, byte[] blob) {
        var envelope = Envelope.read(blob)
                .orElseThrow(() -> unreadable(name, "its stored form is damaged or of a newer version"));
        try {
            var cipher = cipher(Cipher.DECRYPT_MODE, envelope.keyId(), envelope.nonce(), name);
            return new String(cipher.doFinal(envelope.sealed()), UTF_8);
        } catch (AEADBadTagException _) {
            throw unreadable(
                    name,
                    "what key '" + envelope.keyId() + "' should open was changed, or belongs to another key or name");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime cannot decrypt with " + TRANSFORMATION, e);
        }
    }

    /**
     * The stored form of the same plaintext by the active key, null when {@code blob} is that already; throws
     * SecretUnreadableException.
     */
    public byte @Nullable [] withActiveKey(String name, byte[] blob) {
        var plaintext = decrypt(name, blob);
        return keyId(blob).equals(keys.activeId()) ? null : encrypt(name, plaintext);
    }

    /** The id of the key that {@code blob} was encrypted with; throws SecretUnreadableException. */
    public String keyId(byte[] blob) {
        return Envelope.read(blob)
                .map(Envelope::keyId)
                .orElseThrow(() ->
                        new SecretUnreadableException("a stored secret is damaged or of a newer version of taskexec"));
    }

    private Cipher cipher(int mode, String keyId, byte[] nonce, String name) throws GeneralSecurityException {
        var cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, key(name, keyId), new GCMParameterSpec(Envelope.TAG_BYTES * Byte.SIZE, nonce));
        cipher.updateAAD(Envelope.context(keyId, name));
        return cipher;
    }

    private SecretKey key(String name, String keyId) {
        var key = keys.find(keyId);
        if (key == null) {
            throw unreadable(name, "it was encrypted with key '" + keyId + "', which the key ring does not have");
        }
        return key;
    }

    private static byte[] encode(String name, String plaintext) {
        try {
            var encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(plaintext));
            var bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException _) {
            throw new IllegalArgumentException("the value of secret '" + name + "' is not valid Unicode");
        }
    }

    private static SecretUnreadableException unreadable(String name, String reason) {
        return new SecretUnreadableException("secret '" + name + "' cannot be read: " + reason);
    }
}
