package io.taskexec.api;

import io.taskexec.model.JobStatus;
import io.taskexec.store.JobStore.Filter;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The query parameters that narrow a list of jobs down. */
class JobFilter {
    private static final List<String> TRIGGERS = List.of("IMMEDIATE", "DELAYED", "CRON");

    @RestQuery
    @Nullable
    String endpoint;

    @RestQuery
    @Nullable
    String trigger;

    @RestQuery
    @Nullable
    String status;

    @RestQuery("created_from")
    @Nullable
    String createdFrom;

    @RestQuery("created_before")
    @Nullable
    String createdBefore;

    Filter read() {
        return new Filter(
                endpoint,
                trigger(),
                status(),
                time("created_from", createdFrom),
                time("created_before", createdBefore));
    }

    private @Nullable String trigger() {
        if (trigger != null && !TRIGGERS.contains(trigger)) {
            throw invalid("trigger", "one of " + TRIGGERS);
        }
        return trigger;
    }

    private @Nullable JobStatus status() {
        try {
            return status == null ? null : JobStatus.valueOf(status);
        } catch (IllegalArgumentException _) {
            throw invalid("status", "ACTIVE or RETIRED");
        }
    }

    private static @Nullable Instant time(String name, @Nullable String text) {
        try {
            // A plus in a query stands for a space, so an offset written with one arrives like this.
            return text == null
                    ? null
                    : OffsetDateTime.parse(text.replace(' ', '+')).toInstant();
        } catch (DateTimeParseException _) {
            throw invalid(name, "an ISO 8601 time with offset, such as 2026-03-15T18:00:00Z");
        }
    }

    private static ApiException invalid(String name, String expected) {
        return new ApiException(ErrorCode.INVALID_REQUEST, "'%s' must be %s.".formatted(name, expected));
    }
}
