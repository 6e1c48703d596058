package io.taskexec.transfer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/** Counts rows, and tells somebody of each. */
public final class RowCount {
    private final ObjLongConsumer<String> listener;
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private long total;

    /** @param listener hears of the kind of each row, and how many there are with it */
    public RowCount(ObjLongConsumer<String> listener) {
        this.listener = listener;
    }

    void add(String kind) {
        counts.merge(kind, 1L, Long::sum);
        total++;
        listener.accept(kind, total);
    }

    Map<String, Long> counts() {
        return counts;
    }

    /** All that were counted. */
    public long total() {
        return total;
    }
}
