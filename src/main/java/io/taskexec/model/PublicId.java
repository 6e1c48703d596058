package io.taskexec.model;

import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The form of ids outside the program: a prefix that names the kind, then the UUID in 32 hexadecimal digits. */
public enum PublicId {
    JOB("job_"),
    EXECUTION("exec_"),
    /** The run of a workflow: the id of its execution. */
    WORKFLOW("wf_"),
    WORKER("worker_"),
    AUDIT("audit_"),
    EVENT("event_"),
    OPERATION("op_");

    private static final HexFormat HEX = HexFormat.of();
    private static final int UUID_DIGITS = 32;

    private final String prefix;

    PublicId(String prefix) {
        this.prefix = prefix;
    }

    /** The public form of {@code id}. */
    public String show(UUID id) {
        return prefix + HEX.toHexDigits(id.getMostSignificantBits()) + HEX.toHexDigits(id.getLeastSignificantBits());
    }

    /** The public form of an id that there need not be. */
    public @Nullable String showOrNull(@Nullable UUID id) {
        return id == null ? null : show(id);
    }

    /** The id with these digits. */
    public String prefixed(String digits) {
        return prefix + digits;
    }

    /** The UUID in {@code text}, or null when it is not an id of this kind. */
    public @Nullable UUID parse(String text) {
        if (!text.startsWith(prefix) || text.length() != prefix.length() + UUID_DIGITS) {
            return null;
        }
        try {
            // Not Long.parseUnsignedLong, which takes signs and the digits of other scripts too.
            var high = HexFormat.fromHexDigitsToLong(text, prefix.length(), prefix.length() + 16);
            var low = HexFormat.fromHexDigitsToLong(text, prefix.length() + 16, text.length());
            return new UUID(high, low);
        } catch (NumberFormatException _) {
            return null;
        }
    }
}
