package io.taskexec.api;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.ApiException.Detail;
import io.taskexec.api.RegisteredEndpoints.Registered;
import io.taskexec.model.Json;
import io.taskexec.model.PublicId;
import io.taskexec.model.Uuid7;
import io.taskexec.store.JobCreator;
import io.taskexec.store.JobStore;
import io.taskexec.store.NewJob;
import io.taskexec.store.NewJob.Result;
import jakarta.inject.Singleton;
import java.util.UUID;

/** Checks the input of a job against its endpoint and creates the job, or finds the one that has its key. */
@Singleton
class JobCreation {
    /** How often an endpoint may change under one request before that is the client's to sort out. */
    private static final int MAX_TRIES = 5;

    private final RegisteredEndpoints endpoints;
    private final JobCreator creator;
    private final JobStore jobs;

    JobCreation(RegisteredEndpoints endpoints, JobCreator creator, JobStore jobs) {
        this.endpoints = endpoints;
        this.creator = creator;
        this.jobs = jobs;
    }

    /** @param created false when the key had a job already */
    record Outcome(JobView job, boolean created) {}

    /** Fails with an {@link ApiException} that says why there is no job. */
    Uni<Outcome> create(JobRequest request) {
        return create(request, MAX_TRIES);
    }

    private Uni<Outcome> create(JobRequest request, int triesLeft) {
        return endpoints.get(request.endpoint()).chain(endpoint -> {
            var job = checked(request, endpoint);
            return creator.create(job).chain(result -> switch (result) {
                case Result.Created created ->
                    Uni.createFrom().item(new Outcome(JobView.created(job, endpoint, request.input(), created), true));
                case Result.Duplicate(var id, var same) -> existing(request, id, same);
                case Result.Stale() -> again(request, triesLeft - 1);
            });
        });
    }

    private Uni<Outcome> again(JobRequest request, int triesLeft) {
        endpoints.forget(request.endpoint());
        return triesLeft > 0
                ? create(request, triesLeft)
                : Uni.createFrom()
                        .failure(new ApiException(ErrorCode.CONFLICT, "The endpoint keeps changing; try again."));
    }

    private static NewJob checked(JobRequest request, Registered endpoint) {
        var schema = endpoint.schema();
        if (schema != null) {
            var violations = schema.validate(request.input());
            if (!violations.isEmpty()) {
                throw new ApiException(
                        ErrorCode.INPUT_VALIDATION_FAILED,
                        "The input does not match the endpoint's payload spec.",
                        violations.stream()
                                .map(v -> new Detail("/input" + v.pointer(), v.message()))
                                .toList());
            }
        }
        return new NewJob(
                Uuid7.next(),
                endpoint.name(),
                endpoint.version(),
                endpoint.payloadSpecVersion(),
                request.trigger().name(),
                request.runAt(),
                request.delayOrNone(),
                request.priority(),
                request.idempotencyKey(),
                request.fingerprint(),
                Json.text(request.input()));
    }

    private Uni<Outcome> existing(JobRequest request, UUID id, boolean sameRequest) {
        if (!sameRequest) {
            var message = "The idempotency key '%s' belongs to another request.".formatted(request.idempotencyKey());
            return Uni.createFrom().failure(new ApiException(ErrorCode.IDEMPOTENCY_KEY_REUSED, message));
        }
        return jobs.find(id).map(job -> {
            var found = Answers.found(job, ErrorCode.JOB_NOT_FOUND, PublicId.JOB.show(id));
            return new Outcome(JobView.of(found), false);
        });
    }
}
