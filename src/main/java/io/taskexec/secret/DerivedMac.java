package io.taskexec.secret;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** Makes authentication codes with keys that are derived from those of secrets, one for each use. */
final class DerivedMac {
    private static final String ALGORITHM = "HmacSHA256";

    private DerivedMac() {}

    /** The HMAC-SHA256 of {@code content}. */
    static byte[] of(SecretKey key, byte[] use, byte[] content) {
        return hmac(new SecretKeySpec(hmac(key, use), ALGORITHM), content);
    }

    static byte[] hmac(SecretKey key, byte[] content) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has " + ALGORITHM, e);
        }
    }
}
