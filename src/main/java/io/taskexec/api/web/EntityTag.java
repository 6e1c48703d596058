package io.taskexec.api.web;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;

/**
 * Strong entity tags (RFC 9110, 8.8.3). Versions of some resources start again when a name is used again, so the moment
 * of creation is part of a tag.
 */
public final class EntityTag {
    public static final String HEADER = "ETag";

    private EntityTag() {}

    static String of(Versioned resource) {
        return of(resource.version(), resource.createdAt());
    }

    /** With its quotes, as it stands in a header. */
    static String of(int version, Instant createdAt) {
        var bytes = ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt))
                .putInt(version);
        return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array()) + '"';
    }
}
