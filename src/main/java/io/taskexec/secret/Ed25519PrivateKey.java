package io.taskexec.secret;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;

/** The half of an Ed25519 pair (RFC 8032) that the sender alone has. */
final class Ed25519PrivateKey implements SigningKey {
    static final String ALGORITHM = "Ed25519";
    static final String SCHEME = "v1a";
    private static final int KEY_BYTES = 32;

    private final PrivateKey key;

    private Ed25519PrivateKey(PrivateKey key) {
        this.key = key;
    }

    /** The key alone, or with the public one behind it, as most tools write it. */
    static Ed25519PrivateKey of(byte[] bytes) {
        if (bytes.length != KEY_BYTES && bytes.length != 2 * KEY_BYTES) {
            throw new IllegalArgumentException("has %d bytes, where there must be %d, or %d with the public key"
                    .formatted(bytes.length, KEY_BYTES, 2 * KEY_BYTES));
        }
        try {
            var spec = new EdECPrivateKeySpec(NamedParameterSpec.ED25519, Arrays.copyOf(bytes, KEY_BYTES));
            return new Ed25519PrivateKey(KeyFactory.getInstance(ALGORITHM).generatePrivate(spec));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime cannot read a key for " + ALGORITHM, e);
        }
    }

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public byte[] sign(byte[] content) {
        try {
            var signature = Signature.getInstance(ALGORITHM);
            signature.initSign(key);
            signature.update(content);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime cannot sign with " + ALGORITHM, e);
        }
    }
}
