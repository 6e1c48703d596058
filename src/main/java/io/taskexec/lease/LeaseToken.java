package io.taskexec.lease;

import io.taskexec.model.delivery.Claim;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The name of a lease, which its holder shows with each request.
 *
 * @param token random, so that no other client can name it
 */
record LeaseToken(UUID executionId, int attempt, long token) {
    private static final int BYTES = 2 * Long.BYTES + Integer.BYTES + Long.BYTES;
    private static final int LENGTH = (BYTES * 4 + 2) / 3;

    static LeaseToken of(Claim claim) {
        return new LeaseToken(claim.executionId(), claim.attempt(), claim.leaseToken());
    }

    String toText() {
        var bytes = ByteBuffer.allocate(BYTES)
                .putLong(executionId.getMostSignificantBits())
                .putLong(executionId.getLeastSignificantBits())
                .putInt(attempt)
                .putLong(token);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /** Returns null for what is no lease. */
    static @Nullable LeaseToken parse(String text) {
        if (text.length() != LENGTH) {
            return null;
        }
        try {
            var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            return new LeaseToken(new UUID(bytes.getLong(), bytes.getLong()), bytes.getInt(), bytes.getLong());
        } catch (IllegalArgumentException _) {
            return null;
        }
    }
}
