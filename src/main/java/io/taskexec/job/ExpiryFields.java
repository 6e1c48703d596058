package io.taskexec.job;

import io.taskexec.model.Fingerprint;
import io.taskexec.model.job.Expiry;
import io.taskexec.request.Fields;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads when the executions of a job expire. */
final class ExpiryFields {
    private static final Duration MAX_TTL = Duration.ofDays(3660);

    private ExpiryFields() {}

    /** Reads the fields of a job that runs once. */
    static Expiry once(Fields fields) {
        var expiry = new Expiry(ttl(fields), fields.optionalInstant("expires_at"), fields.optionalInstant("deadline"));
        if (fields.optionalTree("ttl") != null && fields.optionalTree("expires_at") != null) {
            fields.violation("expires_at", "cannot be set together with 'ttl'");
        }
        return expiry;
    }

    /** Reads the field that a schedule may have. */
    static @Nullable Duration ttl(Fields fields) {
        var ttl = fields.optionalDuration("ttl", MAX_TTL);
        if (ttl != null && ttl.isZero()) {
            fields.violation("ttl", "must be positive");
        }
        return ttl;
    }

    /** Adds a violation for each time that is not after that at which the job runs. */
    static void checkAfter(Fields fields, Expiry expiry, Instant runAt) {
        checkAfter(fields, "expires_at", expiry.expiresAt(), runAt);
        checkAfter(fields, "deadline", expiry.deadline(), runAt);
    }

    private static void checkAfter(Fields fields, String field, @Nullable Instant time, Instant runAt) {
        if (time != null && !time.isAfter(runAt)) {
            fields.violation(field, "must be after the time at which the job runs");
        }
    }

    /** The fingerprint of a request with these times: without any it is what it was before jobs could have them. */
    static UUID mark(UUID fingerprint, Expiry expiry) {
        return expiry.isNone()
                ? fingerprint
                : Fingerprint.of(fingerprint, expiry.ttl(), expiry.expiresAt(), expiry.deadline());
    }
}
