package io.taskexec.transfer;

import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Counts rows, and shows how many there are by now where somebody looks. */
public final class Progress {
    private static final long BETWEEN_NANOS = Duration.ofMillis(200).toNanos();
    private static final String CLEAR = "\r\u001b[K";

    private final PrintStream terminal;
    private final boolean isShown;
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private long shownAt = System.nanoTime();

    /** @param isShown whether {@code terminal} is one */
    public Progress(PrintStream terminal, boolean isShown) {
        this.terminal = terminal;
        this.isShown = isShown;
    }

    void count(String kind) {
        counts.merge(kind, 1L, Long::sum);
        if (isShown && System.nanoTime() - shownAt > BETWEEN_NANOS) {
            shownAt = System.nanoTime();
            terminal.print(CLEAR + String.format(Locale.ROOT, "%,d rows, now %s", total(), kind));
            terminal.flush();
        }
    }

    void clear() {
        if (isShown) {
            terminal.print(CLEAR);
            terminal.flush();
        }
    }

    Map<String, Long> counts() {
        return counts;
    }

    /** All that were counted. */
    public long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
