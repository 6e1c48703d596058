package io.taskexec.store.job;

import static io.taskexec.testing.Rows.ENDPOINT;

import io.taskexec.testing.TestJob;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs for version 3 of the endpoint of the rows, all of the same request. */
final class NewJobs {
    static final UUID FINGERPRINT = UUID.randomUUID();
    static final int VERSION = 3;

    private NewJobs() {}

    /** One that is due at once, to be changed. */
    static TestJob plain(String key) {
        return new TestJob()
                .endpoint(ENDPOINT, VERSION)
                .key(key)
                .fingerprint(FINGERPRINT)
                .input("{\"n\":12.50}");
    }

    /** One that is due at once. */
    static NewJob job(String key) {
        return plain(key).made();
    }

    /** One that was checked against these versions. */
    static NewJob on(String endpoint, int version, int specVersion) {
        return new TestJob()
                .endpoint(endpoint, version)
                .payloadSpec(specVersion)
                .fingerprint(FINGERPRINT)
                .made();
    }

    /** One that is due at a time, or after a delay. */
    static NewJob at(@Nullable Instant runAt, Duration delay) {
        return new TestJob()
                .endpoint(ENDPOINT, VERSION)
                .runAt(runAt)
                .delay(delay)
                .priority(2)
                .fingerprint(FINGERPRINT)
                .made();
    }
}
