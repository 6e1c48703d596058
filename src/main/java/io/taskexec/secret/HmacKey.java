package io.taskexec.secret;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** A key that sender and receiver share, for HMAC-SHA256. */
final class HmacKey implements SigningKey {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int MIN_BYTES = 24;
    private static final int MAX_BYTES = 64;

    private final SecretKey key;

    private HmacKey(SecretKey key) {
        this.key = key;
    }

    static HmacKey of(byte[] bytes) {
        if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "has %d bytes, where there must be %d to %d".formatted(bytes.length, MIN_BYTES, MAX_BYTES));
        }
        return new HmacKey(new SecretKeySpec(bytes, ALGORITHM));
    }

    @Override
    public String scheme() {
        return "v1";
    }

    @Override
    public byte[] sign(byte[] content) {
        return DerivedMac.hmac(key, content);
    }
}
