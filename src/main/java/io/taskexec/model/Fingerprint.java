package io.taskexec.model;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Half a SHA-256 over the parts of a request: enough to tell a repeated request from another one. */
public final class Fingerprint {
    private Fingerprint() {}

    /** Equal for parts whose texts or JSON values are equal; null differs from every one. */
    public static UUID of(@Nullable Object... parts) {
        var digest = Sha256.digest();
        digest.update(CanonicalJson.of(parts));
        var hash = ByteBuffer.wrap(digest.digest());
        return new UUID(hash.getLong(), hash.getLong());
    }
}
