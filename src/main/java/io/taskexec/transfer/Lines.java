package io.taskexec.transfer;

import io.taskexec.store.TransferException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Lines of a bounded length, counted. */
final class Lines {
    /** More than any row has: a job's input, or a config, is 1 MiB at most. */
    private static final int LONGEST = 32 * 1024 * 1024;

    private final BufferedReader in;
    private long number;

    Lines(InputStream stream) {
        in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8), 1 << 16);
    }

    /** The next one that is ended by a line break; null when there is none. */
    @Nullable
    String next() throws IOException {
        number++;
        var line = new StringBuilder();
        for (var next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') {
                return line.toString();
            }
            if (line.length() == LONGEST) {
                throw new TransferException("Line %d is longer than any of an export.".formatted(number));
            }
            line.append((char) next);
        }
        return null;
    }

    /** Which one was read last, the first one being 1. */
    long number() {
        return number;
    }
}
