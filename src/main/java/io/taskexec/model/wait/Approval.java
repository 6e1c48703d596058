package io.taskexec.model.wait;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A question to a person, on whose decision an execution waits.
 *
 * @param attempt that has asked
 * @param details more than the title, if any
 * @param announce the endpoint that tells people of it
 * @param deadline after which it is decided by {@code onTimeout}
 * @param remindEvery the time between two announcements; null for one alone
 * @param remindAt when the next announcement is due; null for never
 * @param reminders announcements after the first one
 * @param decision null while there is none
 * @param decidedBy the name of the person, as they gave it, or of the API key
 * @param decidedVia {@code link} for the page, {@code key} for an API key
 * @param address from which it was decided
 */
public record Approval(
        UUID executionId,
        int attempt,
        String title,
        @Nullable String details,
        String announce,
        Instant askedAt,
        Instant deadline,
        @Nullable Duration remindEvery,
        @Nullable Instant remindAt,
        int reminders,
        OnTimeout onTimeout,
        @Nullable Decision decision,
        @Nullable String decidedBy,
        @Nullable String decidedVia,
        @Nullable String comment,
        @Nullable String address,
        @Nullable Instant decidedAt) {}
