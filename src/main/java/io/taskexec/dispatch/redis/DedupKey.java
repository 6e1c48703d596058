package io.taskexec.dispatch.redis;

import io.lettuce.core.cluster.SlotHash;
import io.taskexec.model.PublicId;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * The key under which Redis remembers the entry of an execution. A cluster keeps it where it keeps the stream, since it
 * has the same hash tag: one script can use both.
 */
final class DedupKey {
    private DedupKey() {}

    /** The key for the entry of an execution in {@code stream}. */
    static String of(String stream, UUID executionId) {
        return "taskexec:dedup:{" + tag(stream) + "}:" + PublicId.EXECUTION.show(executionId);
    }

    private static String tag(String stream) {
        var open = stream.indexOf('{');
        var close = open < 0 ? -1 : stream.indexOf('}', open + 1);
        if (close > open + 1) {
            return stream.substring(open + 1, close);
        }
        // The whole name counts, and cannot always stand between braces.
        return stream.isEmpty() || stream.contains("}") ? numberInSlotOf(stream) : stream;
    }

    private static String numberInSlotOf(String stream) {
        var slot = slot(stream);
        return IntStream.iterate(0, number -> number + 1)
                .mapToObj(Integer::toString)
                .filter(number -> slot(number) == slot)
                .findFirst()
                .orElseThrow();
    }

    private static int slot(String key) {
        return SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8));
    }
}
