package io.taskexec.store.job;

import static io.taskexec.testing.Rows.ENDPOINT;

import io.taskexec.model.Uuid7;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs for version 3 of the endpoint of the rows, all of the same request. */
final class NewJobs {
    static final UUID FINGERPRINT = UUID.randomUUID();
    static final int VERSION = 3;

    private NewJobs() {}

    /** One that is due at once. */
    static NewJob job(String key) {
        return new NewJob(
                Uuid7.next(),
                ENDPOINT,
                VERSION,
                0,
                "IMMEDIATE",
                null,
                Duration.ZERO,
                0,
                4,
                Set.of(),
                key,
                FINGERPRINT,
                "{\"n\":12.50}",
                null);
    }

    /** One that was checked against these versions. */
    static NewJob on(String endpoint, int version, int specVersion) {
        var one = job(UUID.randomUUID().toString());
        return new NewJob(
                one.id(),
                endpoint,
                version,
                specVersion,
                "IMMEDIATE",
                null,
                Duration.ZERO,
                0,
                4,
                Set.of(),
                one.idempotencyKey(),
                FINGERPRINT,
                null,
                null);
    }

    /** The same in another queue and with tags. */
    static NewJob like(NewJob one, int queue, Set<String> tags) {
        return new NewJob(
                one.id(),
                ENDPOINT,
                VERSION,
                0,
                "IMMEDIATE",
                null,
                Duration.ZERO,
                queue,
                4,
                tags,
                one.idempotencyKey(),
                FINGERPRINT,
                null,
                null);
    }

    /** One that is due at a time, or after a delay. */
    static NewJob at(@Nullable Instant runAt, Duration delay) {
        var one = job(UUID.randomUUID().toString());
        return new NewJob(
                one.id(),
                ENDPOINT,
                VERSION,
                0,
                "DELAYED",
                runAt,
                delay,
                0,
                2,
                Set.of(),
                one.idempotencyKey(),
                FINGERPRINT,
                null,
                null);
    }
}
