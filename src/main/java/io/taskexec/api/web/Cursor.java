package io.taskexec.api.web;

import io.taskexec.model.Page;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Timestamps;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.job.JobStore.VersionPlace;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Opaque places in lists: base64url of the last item's time of creation and name, or of its id. */
public final class Cursor {
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    /** No list has more items with one place. */
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,6}");

    private Cursor() {}

    static @Nullable UUID id(@Nullable String cursor) {
        try {
            return cursor == null ? null : UUID.fromString(decode(cursor));
        } catch (IllegalArgumentException _) {
            throw invalid();
        }
    }

    static @Nullable String ofPosition(Page<?, Position> page) {
        var next = page.next();
        return next == null ? null : encode(next.createdAt() + " " + next.name());
    }

    public static @Nullable Instant time(@Nullable String cursor) {
        try {
            return cursor == null ? null : Timestamps.parse(decode(cursor));
        } catch (IllegalArgumentException | DateTimeException _) {
            throw invalid();
        }
    }

    public static @Nullable String ofTime(Page<?, Instant> page) {
        return ofTime(page.next());
    }

    public static @Nullable String ofTime(@Nullable Instant next) {
        return next == null ? null : encode(next.toString());
    }

    /** A number that is not negative. */
    public static @Nullable Integer number(@Nullable String cursor) {
        try {
            return cursor == null ? null : Integer.parseInt(checked(decode(cursor)));
        } catch (IllegalArgumentException _) {
            throw invalid();
        }
    }

    static @Nullable String ofNumber(Page<?, Integer> page) {
        var next = page.next();
        return next == null ? null : encode(next.toString());
    }

    public static @Nullable VersionPlace version(@Nullable String cursor) {
        if (cursor == null) {
            return null;
        }
        try {
            var parts = decode(cursor).split(" ", 2);
            if (parts.length == 2) {
                return new VersionPlace(Integer.parseInt(checked(parts[0])), UUID.fromString(parts[1]));
            }
        } catch (IllegalArgumentException _) {
            // The same as too few parts.
        }
        throw invalid();
    }

    static @Nullable String ofVersion(Page<?, VersionPlace> page) {
        var next = page.next();
        return next == null ? null : encode(next.version() + " " + next.jobId());
    }

    /** A place in the log of an execution; its beginning without a cursor. */
    public static LogPlace logPlace(@Nullable String cursor) {
        if (cursor == null) {
            return LogPlace.BEGINNING;
        }
        try {
            var numbers = decode(cursor).split(" ", 2);
            if (numbers.length == 2) {
                return new LogPlace(Integer.parseInt(checked(numbers[0])), Integer.parseInt(checked(numbers[1])));
            }
        } catch (IllegalArgumentException _) {
            // The same as too few numbers.
        }
        throw invalid();
    }

    static @Nullable String ofLogPlace(Page<?, LogPlace> page) {
        var next = page.next();
        return next == null ? null : encode(next.attempt() + " " + next.shown());
    }

    private static String checked(String number) {
        if (!NUMBER.matcher(number).matches()) {
            throw invalid();
        }
        return number;
    }

    static @Nullable String ofId(Page<?, UUID> page) {
        var next = page.next();
        return next == null ? null : encode(next.toString());
    }

    /** The place in a list that is newest first from which on the item with this id is its first. */
    public static String downFrom(UUID id) {
        return encode(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() + 1).toString());
    }

    static @Nullable Position position(@Nullable String cursor) {
        if (cursor == null) {
            return null;
        }
        try {
            var text = decode(cursor);
            var space = text.indexOf(' ');
            return new Position(Timestamps.parse(text.substring(0, Math.max(space, 0))), text.substring(space + 1));
        } catch (IllegalArgumentException | DateTimeException _) {
            throw invalid();
        }
    }

    private static String encode(String text) {
        return ENCODER.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decode(String cursor) {
        var text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
        if (text.indexOf('\0') >= 0) {
            throw invalid();
        }
        return text;
    }

    private static ApiException invalid() {
        return new ApiException(ErrorCode.INVALID_REQUEST, "'cursor' is not one that a list has given out.");
    }
}
