package io.taskexec.client.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A question to a person.
 *
 * @param announce the endpoint that tells people of it
 * @param reminders announcements after the first one
 * @param decidedBy the name of the person, as they gave it, or of the API key
 * @param decidedVia whether on the page, under any name, or by an API key
 */
public record Approval(
        String executionId,
        String title,
        @Nullable String details,
        String announce,
        Instant askedAt,
        Instant deadline,
        int reminders,
        String onTimeout,
        @Nullable String decision,
        @Nullable String decidedBy,
        @Nullable String decidedVia,
        @Nullable String comment,
        @Nullable String address,
        @Nullable Instant decidedAt) {}
