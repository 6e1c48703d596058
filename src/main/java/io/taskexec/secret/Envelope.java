package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Optional;

/**
 * The stored form of a secret: {@code format (1) | length of key id (1) | key id | nonce (12) | ciphertext and tag}.
 * The format byte leaves room for other forms, such as keys kept by a key management service.
 */
final class Envelope {
    static final int NONCE_BYTES = 12;
    static final int TAG_BYTES = 16;
    private static final byte FORMAT = 1;
    private static final int HEADER_BYTES = 2;
    private static final byte[] PURPOSE = "taskexec|secret|".getBytes(UTF_8);

    private final String keyId;
    private final byte[] nonce;
    private final byte[] sealed;

    Envelope(String keyId, byte[] nonce, byte[] sealed) {
        this.keyId = keyId;
        this.nonce = nonce;
        this.sealed = sealed;
    }

    /** The parts of {@code blob}, empty when it is not such a form. */
    static Optional<Envelope> read(byte[] blob) {
        if (blob.length < HEADER_BYTES || blob[0] != FORMAT || blob[1] < 1) {
            return Optional.empty();
        }
        var nonceAt = HEADER_BYTES + blob[1];
        if (blob.length < nonceAt + NONCE_BYTES + TAG_BYTES) {
            return Optional.empty();
        }
        var keyId = new String(blob, HEADER_BYTES, blob[1], ISO_8859_1);
        var sealedAt = nonceAt + NONCE_BYTES;
        return Optional.of(new Envelope(
                        keyId,
                        Arrays.copyOfRange(blob, nonceAt, sealedAt),
                        Arrays.copyOfRange(blob, sealedAt, blob.length)))
                .filter(envelope -> KeyRing.isId(keyId));
    }

    String keyId() {
        return keyId;
    }

    byte[] nonce() {
        return nonce;
    }

    /** The ciphertext, followed by the tag. */
    byte[] sealed() {
        return sealed;
    }

    byte[] write() {
        var blob = new ByteArrayOutputStream();
        blob.writeBytes(header(keyId));
        blob.writeBytes(nonce);
        blob.writeBytes(sealed);
        return blob.toByteArray();
    }

    /** The additional authenticated data, so that a blob opens only as the secret that it was made for. */
    static byte[] context(String keyId, String name) {
        var context = new ByteArrayOutputStream();
        context.writeBytes(PURPOSE);
        context.writeBytes(header(keyId));
        context.writeBytes(name.getBytes(UTF_8));
        return context.toByteArray();
    }

    private static byte[] header(String keyId) {
        var header = new ByteArrayOutputStream();
        header.write(FORMAT);
        header.write(keyId.length());
        header.writeBytes(keyId.getBytes(ISO_8859_1));
        return header.toByteArray();
    }
}
