package io.taskexec.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Half a SHA-256 over the parts of a request: enough to tell a repeated request from another one. */
public final class Fingerprint {
    private Fingerprint() {}

    /** Equal for parts whose texts or JSON values are equal; null differs from every one. */
    public static UUID of(@Nullable Object... parts) {
        var digest = Sha256.digest();
        for (var part : parts) {
            var bytes = bytes(part);
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes == null ? -1 : bytes.remaining()));
            if (bytes != null) {
                digest.update(bytes);
            }
        }
        var hash = ByteBuffer.wrap(digest.digest());
        return new UUID(hash.getLong(), hash.getLong());
    }

    private static @Nullable ByteBuffer bytes(@Nullable Object part) {
        return switch (part) {
            case null -> null;
            case JsonNode tree -> CanonicalJson.of(tree);
            default -> ByteBuffer.wrap(part.toString().getBytes(StandardCharsets.UTF_8));
        };
    }
}
