package io.taskexec.worker;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.Dispatcher;
import io.taskexec.model.Output;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.job.Failure;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.observe.log.LogFields;
import io.taskexec.resolve.Resolution;
import io.taskexec.resolve.Resolver;
import io.taskexec.resolve.ResultSettings;
import io.taskexec.store.wait.DeferralStore;
import io.taskexec.store.wait.DeferralStore.Terms;
import io.taskexec.wait.Approvals;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Looks after deferred executions: polls their receivers, and ends attempts whose time is over. */
@Singleton
final class DeferredLooks {
    private static final Logger LOG = Logger.getLogger(DeferredLooks.class);

    /** The time until the next look where one could not be taken. */
    static final Duration LATER = Duration.ofSeconds(30);

    private final DeferralStore deferrals;
    private final Resolver resolver;
    private final Dispatcher dispatcher;
    private final Approvals approvals;

    DeferredLooks(DeferralStore deferrals, Resolver resolver, Dispatcher dispatcher, Approvals approvals) {
        this.approvals = approvals;
        this.deferrals = deferrals;
        this.resolver = resolver;
        this.dispatcher = dispatcher;
    }

    /** The result of a look. */
    record Look(Outcome outcome, ResultSettings resultSettings) {}

    /** Looks after a deferred execution. Its time is over also when what is stored of it cannot be read. */
    Uni<Look> look(Lease lease) {
        var claim = lease.claim();
        return deferrals.find(claim.executionId()).chain(terms -> {
            var over = terms == null
                    ? failed(Failure.Type.DEFERRAL_TIMEOUT, "The terms of its deferral are gone.")
                    : over(terms);
            if (terms != null && terms.deferral().mode() == DeferralMode.APPROVAL) {
                return resolver.readableResultSettings(claim)
                        .chain(known -> approvals
                                .look(claim, terms.now(), terms.deferral().deadline())
                                .map(outcome -> new Look(outcome, known)));
            }
            return over == null && terms != null
                    ? resolver.resultSettings(claim)
                            .chain(known -> wait(lease, terms, known).map(outcome -> new Look(outcome, known)))
                    : resolver.readableResultSettings(claim).map(known -> new Look(requireNonNull(over), known));
        });
    }

    /** Whether the result of an attempt was recorded by a callback, since the lease is lost. */
    Uni<Boolean> wasSettled(Claim claim) {
        return deferrals.wasSettled(claim);
    }

    /** Whether this result was recorded by a statement whose answer was lost; counts it then. */
    Uni<Boolean> wasRecorded(Claim claim, UUID workerId, Transition result) {
        return deferrals.wasRecorded(claim, workerId, result);
    }

    /** Whether this result leaves a status by which it can be found. */
    boolean leavesStatus(Transition result) {
        return DeferralStore.leavesStatus(result);
    }

    /** Whether the answer to a statement may have been lost since then, by {@link System#nanoTime}. */
    boolean mayHaveLostAnswerSince(long time) {
        return deferrals.mayHaveLostAnswerSince(time);
    }

    /** The failure of an attempt whose time is over; null while it is not. */
    private static @Nullable Outcome over(Terms terms) {
        var deferral = terms.deferral();
        if (!terms.now().isBefore(deferral.deadline())) {
            return failed(
                    Failure.Type.DEFERRAL_TIMEOUT,
                    "The receiver did not say how it ended by %s.".formatted(deferral.deadline()));
        }
        var silentAt = deferral.silentAt();
        return silentAt == null || terms.now().isBefore(silentAt)
                ? null
                : failed(
                        Failure.Type.HEARTBEAT_TIMEOUT,
                        "The receiver has been silent since %s.".formatted(deferral.heardAt()));
    }

    private Uni<Outcome> wait(Lease lease, Terms terms, ResultSettings resultSettings) {
        if (terms.deferral().mode() == DeferralMode.POLL) {
            return poll(lease, new Poll(terms, resultSettings.completion(), System.nanoTime()));
        }
        var silentAt = terms.deferral().silentAt();
        var end = terms.deferral().deadline();
        var next = silentAt == null || end.isBefore(silentAt) ? end : silentAt;
        return Uni.createFrom().item(new Outcome.StillDeferred(Duration.between(terms.now(), next)));
    }

    private static Outcome failed(Failure.Type type, String message) {
        return new Outcome.RetryableFailure(new Failure(type, message), null);
    }

    /**
     * A poll that is under way.
     *
     * @param begunAt by {@link System#nanoTime}, when the terms were read
     */
    private record Poll(Terms terms, @Nullable Completion completion, long begunAt) {
        URI url() {
            return requireNonNull(terms.deferral().pollUrl());
        }

        /** The next look is after so much time, but no later than at the deadline. */
        Outcome later(Duration pause) {
            var now = terms.now().plusNanos(System.nanoTime() - begunAt);
            var left = Duration.between(now, terms.deferral().deadline());
            var next = pause.compareTo(left) < 0 ? pause : left;
            return new Outcome.StillDeferred(next.isNegative() ? Duration.ZERO : next);
        }

        Duration every() {
            var every = terms.deferral().every();
            return every == null ? LATER : every;
        }
    }

    private Uni<Outcome> poll(Lease lease, Poll poll) {
        var claim = lease.claim();
        return resolver.resolve(claim).chain(resolution -> {
            if (claim.unreadable() == null
                    && resolution instanceof Resolution.Ready ready
                    && ready.request() instanceof HttpCall call) {
                var request = call.poll(poll.url());
                // Another origin gets neither the signature nor the attributes of a delivery.
                var extras = call.isOfOrigin(poll.url()) ? ready.extras() : DeliveryExtras.NONE;
                var delivery = new Delivery(
                        claim.executionId(), claim.jobId(), claim.attempt(), claim.runAt(), claim.trace(), extras);
                return lease.orCancelled(() -> dispatcher.dispatch(request, delivery))
                        .map(outcome -> polled(outcome, poll).redacted(ready.redact()));
            }
            // Its receiver is at work, and an administrator may repair it before the deadline.
            LogFields.of(claim)
                    .log(() -> LOG.warnf(
                            "a poll is made later: %s", claim.unreadable() == null ? resolution : claim.unreadable()));
            return Uni.createFrom().item(poll.later(LATER));
        });
    }

    private Outcome polled(Outcome outcome, Poll poll) {
        return switch (outcome) {
            case Outcome.Succeeded(var output) -> answered(output, outcome, poll);
            case Outcome.RetryableFailure(var failure, var retryAfter) -> {
                LOG.debugf("a poll was not answered: %s", failure.type());
                deferrals.countPoll("unanswered");
                var every = poll.every();
                yield poll.later(retryAfter == null || retryAfter.compareTo(every) < 0 ? every : retryAfter);
            }
            case Outcome.PermanentFailure(var failure, var _, var _)
            when Objects.equals(failure.statusCode(), HttpCall.ACCEPTED) -> pending(poll);
            case Outcome.PermanentFailure _ -> {
                deferrals.countPoll("failed");
                yield outcome;
            }
            // The next worker polls at once.
            case Outcome.Interrupted _ -> new Outcome.StillDeferred(Duration.ZERO);
            default -> outcome;
        };
    }

    private Outcome answered(JsonNode output, Outcome outcome, Poll poll) {
        var shown = requireNonNull(Output.withJson(output));
        var completion = poll.completion();
        var failed = completion == null ? null : completion.failedIf();
        if (failed != null && failed.holds(shown)) {
            deferrals.countPoll("failed");
            return failed(Failure.Type.RECEIVER_FAILED, "The answer to a poll says that the work has failed.");
        }
        var succeeded = completion == null ? null : completion.succeededIf();
        if (succeeded != null && !succeeded.holds(shown)) {
            return pending(poll);
        }
        deferrals.countPoll("success");
        return outcome;
    }

    private Outcome pending(Poll poll) {
        deferrals.countPoll("pending");
        return poll.later(poll.every());
    }
}
