package io.taskexec.model.job;

import io.taskexec.model.Sha256;
import io.taskexec.model.Uuid7;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.UUID;

/**
 * The id of the execution that a tick of a schedule becomes: a UUID of version 7 whose time is the tick's and whose
 * random part is made from the job and the tick. The same tick always has the same id, so a primary key is enough to
 * keep it from firing twice.
 */
public final class TickId {
    private TickId() {}

    /** The seed of an {@code H} in a cron expression: the same in all versions of the schedule. */
    public static long seed(UUID rootId) {
        return rootId.getLeastSignificantBits();
    }

    /** The id of the execution that {@code tick} of a job becomes. */
    public static UUID of(UUID jobId, Instant tick) {
        var hash = hash(jobId, tick);
        return Uuid7.of(tick.toEpochMilli(), hash.getLong() & 0xfff, hash.getLong());
    }

    private static ByteBuffer hash(UUID jobId, Instant tick) {
        var key = ByteBuffer.allocate(3 * Long.BYTES)
                .putLong(jobId.getMostSignificantBits())
                .putLong(jobId.getLeastSignificantBits())
                .putLong(tick.toEpochMilli());
        return ByteBuffer.wrap(Sha256.digest().digest(key.array()));
    }
}
