package io.taskexec.model;

import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The trace that a job was created in and that its attempts continue (W3C Trace Context, level 1).
 *
 * @param traceId 32 lower-case hexadecimal digits
 * @param parentId 16 of them: the span that created the job
 * @param sampled whether that span is recorded
 * @param state what tracing systems have added, null for nothing
 */
public record TraceContext(
        String traceId,
        String parentId,
        boolean sampled,
        @Nullable String state) {
    /** The longest {@code tracestate} that is kept, in characters; members beyond it are left out. */
    public static final int MAX_STATE_LENGTH = 512;

    private static final int MAX_STATE_MEMBERS = 32;
    private static final int SAMPLED = 1;
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    /** Later versions may say more behind another hyphen; version ff is not valid. */
    private static final Pattern PARENT =
            Pattern.compile("(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

    private static final Pattern MEMBER =
            Pattern.compile("(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})"
                    + "=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]");

    /**
     * The trace that the headers of a request name; null when they name none or are malformed, which is to be ignored.
     *
     * @param parents the values of {@code traceparent}, of which there may be one
     * @param states the values of {@code tracestate}, which together are one list
     */
    public static @Nullable TraceContext of(List<String> parents, List<String> states) {
        if (parents.size() != 1) {
            return null;
        }
        var parent = PARENT.matcher(parents.getFirst());
        if (!parent.matches() || (parent.group(1).equals("00") && parent.group(5) != null)) {
            return null;
        }
        var flags = Integer.parseInt(parent.group(4), 16);
        return new TraceContext(parent.group(2), parent.group(3), (flags & SAMPLED) != 0, state(states));
    }

    /** Reads back what {@link #toText} wrote; null when it is something else. */
    public static @Nullable TraceContext ofText(String text) {
        var parts = text.split(" ", 2);
        return of(List.of(parts[0]), parts.length == 1 ? List.of() : List.of(parts[1]));
    }

    /**
     * The trace that begins with an execution and has the digits of its id, which is what a record of it can be found
     * by: it counts as sampled.
     *
     * @param execution the public id of the execution
     */
    public static TraceContext ofExecution(String execution) {
        var digits = execution.substring(execution.indexOf('_') + 1);
        return new TraceContext(digits, digits.substring(digits.length() / 2), true, null);
    }

    /**
     * The trace of what an attempt creates: that of its execution goes on, from the attempt.
     *
     * @param trace that the execution is a part of; null when one begins with it
     */
    public static TraceContext ofAttempt(@Nullable TraceContext trace, UUID executionId, int attempt) {
        return (trace == null ? ofExecution(PublicId.EXECUTION.show(executionId)) : trace)
                .within(spanId(executionId, attempt));
    }

    /** The form that the store keeps: the {@code traceparent}, and the {@code tracestate} after a space. */
    public String toText() {
        var parent = traceparent(traceId, parentId, sampled);
        return state == null ? parent : parent + " " + state;
    }

    /** The header that names this span. */
    public static String traceparent(String traceId, String spanId, boolean sampled) {
        return "00-" + traceId + "-" + spanId + (sampled ? "-01" : "-00");
    }

    /**
     * The span of an attempt: made of its execution and its number, so that the next attempt can name it.
     *
     * @return 16 lower-case hexadecimal digits, not all of them zero
     */
    public static String spanId(UUID executionId, int attempt) {
        var span = mixed(executionId.getMostSignificantBits()
                ^ mixed(executionId.getLeastSignificantBits() + attempt * GOLDEN_RATIO));
        return HexFormat.of().toHexDigits(span == 0 ? 1 : span);
    }

    /** The finalizer of SplitMix64, which spreads neighbouring numbers evenly. */
    private static long mixed(long bits) {
        var once = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        var twice = (once ^ (once >>> 27)) * 0x94D049BB133111EBL;
        return twice ^ (twice >>> 31);
    }

    /** The same trace, recorded or not. */
    public TraceContext sampled(boolean isSampled) {
        return isSampled == sampled ? this : new TraceContext(traceId, parentId, isSampled, state);
    }

    /** The same trace as what is part of another of its spans sees it. */
    public TraceContext within(String spanId) {
        return new TraceContext(traceId, spanId, sampled, state);
    }

    private static @Nullable String state(List<String> headers) {
        var members = headers.stream()
                .flatMap(header -> Stream.of(header.split(",", -1)))
                .map(String::strip)
                .filter(member -> !member.isEmpty())
                .toList();
        var isMalformed = members.size() > MAX_STATE_MEMBERS
                || !members.stream().allMatch(member -> MEMBER.matcher(member).matches());
        return members.isEmpty() || isMalformed ? null : bounded(members);
    }

    /** The first members, which are of the systems that were passed last. */
    private static @Nullable String bounded(List<String> members) {
        var fitting = members.size();
        var length = members.stream().mapToInt(String::length).sum() + fitting - 1;
        while (length > MAX_STATE_LENGTH) {
            fitting--;
            length -= members.get(fitting).length() + 1;
        }
        return fitting == 0 ? null : members.stream().limit(fitting).collect(Collectors.joining(","));
    }
}
