package io.taskexec.secret;

import java.util.Base64;

/**
 * A key of Standard Webhooks, in the form of its specification: {@code whsec_} is shared, {@code whsk_} signs and
 * {@code whpk_} checks what the latter has signed. No message and no string form contains key material.
 */
public sealed interface WebhookKey permits SigningKey, Ed25519PublicKey {
    /** The prefix of a shared key. */
    String SHARED = "whsec_";

    /** The prefix of a private key. */
    String PRIVATE = "whsk_";

    /** The prefix of a public key. */
    String PUBLIC = "whpk_";

    /** The prefix of its signatures, before a comma. */
    String scheme();

    /** Whether {@code signature} is this key's of {@code content}; says nothing by the time that it takes. */
    boolean verifies(byte[] content, byte[] signature);

    /** Reads a key; throws IllegalArgumentException, with the rest of a sentence about it, for anything else. */
    static WebhookKey parse(String text) {
        if (text.startsWith(SHARED)) {
            return HmacKey.of(bytes(text, SHARED));
        }
        if (text.startsWith(PRIVATE)) {
            return Ed25519PrivateKey.of(bytes(text, PRIVATE));
        }
        if (text.startsWith(PUBLIC)) {
            return Ed25519PublicKey.of(bytes(text, PUBLIC));
        }
        throw new IllegalArgumentException("begins with none of whsec_, whsk_ and whpk_");
    }

    private static byte[] bytes(String text, String prefix) {
        try {
            return Base64.getDecoder().decode(text.substring(prefix.length()));
        } catch (IllegalArgumentException _) {
            // Without the cause, whose message quotes the text.
            throw new IllegalArgumentException("is not valid base64 after " + prefix);
        }
    }
}
