package io.taskexec.secret;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;

/** The half of an Ed25519 pair (RFC 8032) that a receiver checks signatures with. */
final class Ed25519PublicKey implements WebhookKey {
    private static final int KEY_BYTES = 32;

    /** The header of the key in the form that Java reads (RFC 8410, 4). */
    private static final String X509_HEAD = "302a300506032b6570032100";

    private final PublicKey key;

    private Ed25519PublicKey(PublicKey key) {
        this.key = key;
    }

    static Ed25519PublicKey of(byte[] bytes) {
        if (bytes.length != KEY_BYTES) {
            throw new IllegalArgumentException(
                    "has %d bytes, where there must be %d".formatted(bytes.length, KEY_BYTES));
        }
        try {
            var encoded = HexFormat.of().parseHex(X509_HEAD + HexFormat.of().formatHex(bytes));
            var key =
                    KeyFactory.getInstance(Ed25519PrivateKey.ALGORITHM).generatePublic(new X509EncodedKeySpec(encoded));
            // Only its use finds out that it is no point of the curve.
            var _ = checking(key);
            return new Ed25519PublicKey(key);
        } catch (GeneralSecurityException _) {
            throw new IllegalArgumentException("is no public key of Ed25519");
        }
    }

    @Override
    public String scheme() {
        return Ed25519PrivateKey.SCHEME;
    }

    @Override
    public boolean verifies(byte[] content, byte[] signature) {
        try {
            var check = checking(key);
            check.update(content);
            return check.verify(signature);
        } catch (SignatureException _) {
            // The length or the numbers are not those of a signature.
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime cannot check " + Ed25519PrivateKey.ALGORITHM, e);
        }
    }

    private static Signature checking(PublicKey key) throws NoSuchAlgorithmException, InvalidKeyException {
        var check = Signature.getInstance(Ed25519PrivateKey.ALGORITHM);
        check.initVerify(key);
        return check;
    }
}
