package io.taskexec.testing;

import io.taskexec.model.TraceContext;
import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.job.JobOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A claim as a worker gets it: of a first attempt of a plain job, unless told otherwise. */
public final class NewClaim {
    private UUID execution = Uuid7.next();
    private UUID job = execution;
    private int attempt = 1;
    private int failures;
    private int rescues;
    private String endpoint = Rows.ENDPOINT;
    private int version = 1;
    private @Nullable TraceContext trace;
    private @Nullable Long flowId;
    private @Nullable Duration expiresIn;

    public NewClaim ids(UUID ofExecution, UUID ofJob) {
        execution = ofExecution;
        job = ofJob;
        return this;
    }

    public NewClaim attempt(int number) {
        attempt = number;
        return this;
    }

    /** Attempts that failed so far. */
    public NewClaim failures(int count) {
        failures = count;
        return this;
    }

    public NewClaim rescues(int count) {
        rescues = count;
        return this;
    }

    public NewClaim endpoint(String name) {
        endpoint = name;
        return this;
    }

    /** That of the endpoint. */
    public NewClaim version(int number) {
        version = number;
        return this;
    }

    public NewClaim trace(@Nullable TraceContext continued) {
        trace = continued;
        return this;
    }

    public NewClaim flow(@Nullable Long id) {
        flowId = id;
        return this;
    }

    /** The time within which its attempt may begin. */
    public NewClaim expiresIn(Duration time) {
        expiresIn = time;
        return this;
    }

    /** Makes the claim. */
    public Claim claimed() {
        return new Claim(
                execution,
                job,
                1,
                attempt,
                failures,
                rescues,
                endpoint,
                version,
                null,
                0,
                null,
                Instant.now(),
                trace,
                null,
                flowId,
                expiresIn,
                JobOptions.NONE,
                false,
                false,
                false);
    }
}
