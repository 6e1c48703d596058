package io.taskexec.model.job;

import io.taskexec.model.Sha256;
import io.taskexec.model.Uuid7;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The id of the execution by which an operation repeats another one: a UUID of version 7 whose time is the operation's
 * and whose random part is made from both. The same operation repeats the same execution always under the same id, so
 * that a batch that is done again creates nothing twice.
 */
public final class ReplayId {
    private ReplayId() {}

    /** The id of what repeats {@code executionId}. */
    public static UUID of(UUID operationId, UUID executionId) {
        var hash = hash(operationId, executionId);
        return Uuid7.of(operationId.getMostSignificantBits() >>> 16, hash.getLong() & 0xfff, hash.getLong());
    }

    private static ByteBuffer hash(UUID operationId, UUID executionId) {
        var key = ByteBuffer.allocate(4 * Long.BYTES)
                .putLong(operationId.getMostSignificantBits())
                .putLong(operationId.getLeastSignificantBits())
                .putLong(executionId.getMostSignificantBits())
                .putLong(executionId.getLeastSignificantBits());
        return ByteBuffer.wrap(Sha256.digest().digest(key.array()));
    }
}
