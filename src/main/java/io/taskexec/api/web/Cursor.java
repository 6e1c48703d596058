package io.taskexec.api.web;

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

    /** Returns the cursor of the part of a list that follows a place; null at the end of the list. */
    public static @Nullable String of(@Nullable Object place) {
        return switch (place) {
            case null -> null;
            case Position(var createdAt, var name) -> encode(createdAt + " " + name);
            case VersionPlace(var version, var jobId) -> encode(version + " " + jobId);
            case LogPlace(var attempt, var shown) -> encode(attempt + " " + shown);
            // An id, a time or a number.
            default -> encode(place.toString());
        };
    }

    static @Nullable UUID id(@Nullable String cursor) {
        try {
            return cursor == null ? null : uuid(decode(cursor));
        } catch (IllegalArgumentException _) {
            throw invalid();
        }
    }

    public static @Nullable Instant time(@Nullable String cursor) {
        try {
            return cursor == null ? null : Timestamps.parse(decode(cursor));
        } catch (IllegalArgumentException | DateTimeException _) {
            throw invalid();
        }
    }

    /** A number that is not negative. */
    public static @Nullable Integer number(@Nullable String cursor) {
        try {
            return cursor == null ? null : Integer.parseInt(checked(decode(cursor)));
        } catch (IllegalArgumentException _) {
            throw invalid();
        }
    }

    public static @Nullable VersionPlace version(@Nullable String cursor) {
        if (cursor == null) {
            return null;
        }
        try {
            var parts = decode(cursor).split(" ", 2);
            if (parts.length == 2) {
                return new VersionPlace(Integer.parseInt(checked(parts[0])), uuid(parts[1]));
            }
        } catch (IllegalArgumentException _) {
            // The same as too few parts.
        }
        throw invalid();
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

    /** The JDK takes shorter groups too, as a cursor has them of which the end is missing. */
    private static UUID uuid(String text) {
        var id = UUID.fromString(text);
        if (!id.toString().equals(text)) {
            throw invalid();
        }
        return id;
    }

    private static String checked(String number) {
        if (!NUMBER.matcher(number).matches()) {
            throw invalid();
        }
        return number;
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
