package io.taskexec.secret;

import java.security.MessageDigest;

/** A key that signs, and always signs the same content in the same way. */
public sealed interface SigningKey extends WebhookKey permits HmacKey, Ed25519PrivateKey {
    /** The signature of {@code content}. */
    byte[] sign(byte[] content);

    @Override
    default boolean verifies(byte[] content, byte[] signature) {
        return MessageDigest.isEqual(sign(content), signature);
    }

    /**
     * Reads a key that signs; throws IllegalArgumentException, with the rest of a sentence about it, for anything else.
     */
    static SigningKey parse(String text) {
        return switch (WebhookKey.parse(text)) {
            case SigningKey key -> key;
            case Ed25519PublicKey _ -> throw new IllegalArgumentException("is a public key, which cannot sign");
        };
    }
}
