package io.taskexec.model;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The form of ids outside the program: a prefix that names the kind, then the UUID in 32 hexadecimal digits. */
public enum PublicId {
    JOB("job_"),
    EXECUTION("exec_"),
    WORKER("worker_");

    private static final int UUID_DIGITS = 32;

    private final String prefix;

    PublicId(String prefix) {
        this.prefix = prefix;
    }

    /** The public form of {@code id}. */
    public String show(UUID id) {
        return prefix + id.toString().replace("-", "");
    }

    /** The UUID in {@code text}, or null when it is not an id of this kind. */
    public @Nullable UUID parse(String text) {
        if (!text.startsWith(prefix) || text.length() != prefix.length() + UUID_DIGITS) {
            return null;
        }
        try {
            var high = Long.parseUnsignedLong(text, prefix.length(), prefix.length() + 16, 16);
            var low = Long.parseUnsignedLong(text, prefix.length() + 16, text.length(), 16);
            return new UUID(high, low);
        } catch (NumberFormatException _) {
            return null;
        }
    }
}
