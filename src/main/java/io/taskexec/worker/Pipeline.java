package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.TaskProgress;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.delivery.Transitions;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.job.Failure;
import io.taskexec.observe.log.LogFields;
import io.taskexec.resolve.Resolution;
import io.taskexec.resolve.Resolver;
import io.taskexec.resolve.RefusedClaim;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.sql.UnavailableException;
import io.taskexec.worker.breaker.Breakers;
import io.taskexec.worker.breaker.Breakers.Admission;
import io.taskexec.worker.observe.AttemptMetrics;
import io.taskexec.worker.observe.AttemptObservation;
import io.taskexec.worker.observe.AttemptSpan;
import io.taskexec.worker.observe.AttemptSpans;
import io.taskexec.workflow.WorkflowRuns;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The life of one attempt: admit, resolve, dispatch, classify, record. */
@Singleton
final class Pipeline {
    private static final Logger LOG = Logger.getLogger(Pipeline.class);

    /** Due again at once: nothing is claimed from a paused queue. */
    private static final Outcome PAUSED = new Outcome.Postponed(Duration.ZERO);

    private static final Ended PAUSED_EARLY = new Ended(PAUSED, RetryPolicy.DEFAULT);

    private static final Outcome EXPIRED = new Outcome.Expired();

    private static final Outcome SKIPPED = new Outcome.Skipped();

    /** A receiver is still at work for what is deferred, whatever happens here. */
    private static final Ended LATER = new Ended(new Outcome.StillDeferred(DeferredLooks.LATER), RetryPolicy.DEFAULT);

    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration LAST_RETRY = Duration.ofSeconds(1);

    private final Resolver resolver;
    private final Deliveries deliveries;
    private final ResultRecorder recorder;
    private final Breakers breakers;
    private final PauseGate gate;
    private final AttemptSpans spans;
    private final AttemptMetrics metrics;
    private final WorkflowRuns workflows;

    Pipeline(
            Resolver resolver,
            Deliveries deliveries,
            ResultRecorder recorder,
            Breakers breakers,
            PauseGate gate,
            AttemptObservation observation,
            WorkflowRuns workflows) {
        this.metrics = observation.metrics();
        this.workflows = workflows;
        this.breakers = breakers;
        this.gate = gate;
        this.spans = observation.spans();
        this.resolver = resolver;
        this.deliveries = deliveries;
        this.recorder = recorder;
    }

    /** An attempt that has ended, with the policy that decides what follows. */
    private record Ended(Outcome outcome, RetryPolicy policy, boolean reported) {
        Ended(Outcome outcome, RetryPolicy policy) {
            this(outcome, policy, false);
        }
    }

    /**
     * Runs one attempt and returns whether its result was recorded; never fails.
     *
     * @param ended told when the attempt has ended and only its result is left to be recorded
     */
    Uni<Boolean> run(Lease lease, UUID workerId, Runnable ended) {
        var span = spans.begin(lease.claim());
        return Uni.createFrom()
                .deferred(() -> unlessPaused(lease, PAUSED_EARLY, () -> unpaused(lease, span)))
                .onFailure()
                .recoverWithItem(failure -> unexpected(lease.claim(), failure))
                .invoke(ended)
                .map(attempt -> classify(lease.claim(), span, attempt))
                .chain(transition -> record(lease, workerId, transition))
                .onFailure()
                .recoverWithItem(failure -> notRecorded(lease.claim(), failure));
    }

    /** The progress of the recording of results. */
    TaskProgress progress() {
        return recorder.progress();
    }

    /** Goes on unless the queue is paused; hardly ever does that need a look. */
    private <T> Uni<T> unlessPaused(Lease lease, T paused, Supplier<Uni<T>> next) {
        return gate.isOpen(lease)
                ? next.get()
                : whileHeld(lease, () -> gate.mayBegin(lease))
                        .chain(may -> may ? next.get() : Uni.createFrom().item(paused));
    }

    private Uni<Ended> unpaused(Lease lease, @Nullable AttemptSpan span) {
        var claim = lease.claim();
        if (claim.isDeferred()) {
            return look(lease);
        }
        var refused = RefusedClaim.of(claim, lease.isExpired());
        // Nothing is sent then, so that no receiver need be well.
        return refused == null ? admitted(lease, span) : Uni.createFrom().item(ended(claim, refused));
    }

    /** It was delivered before: neither an attempt nor a reason to ask the breaker. */
    private Uni<Ended> look(Lease lease) {
        return whileHeld(lease, () -> deliveries.looks().look(lease))
                .map(look -> new Ended(
                        look.outcome(),
                        look.resultSettings().policy(),
                        look.resultSettings().reported()));
    }

    private Uni<Ended> admitted(Lease lease, @Nullable AttemptSpan span) {
        return breakers.admit(lease.claim()).chain(admission -> switch (admission) {
            case Admission.Park() -> Uni.createFrom().item(new Ended(new Outcome.Limited(), RetryPolicy.DEFAULT));
            case Admission.Wait(var delay) ->
                Uni.createFrom().item(new Ended(new Outcome.Postponed(delay), RetryPolicy.DEFAULT));
            case Admission.Admitted admitted ->
                attempt(lease, span)
                        .invoke(ended -> breakers.ended(admitted, ended.outcome()))
                        .onFailure()
                        .invoke(() -> breakers.ended(admitted, null));
        });
    }

    private Uni<Ended> attempt(Lease lease, @Nullable AttemptSpan span) {
        var claim = lease.claim();
        return whileHeld(lease, () -> resolver.resolve(claim)).chain(resolution -> switch (resolution) {
            case Resolution.Unready(var failure) -> Uni.createFrom().item(ended(claim, RefusedClaim.retryable(failure)));
            case Resolution.Impossible(var failure) -> Uni.createFrom().item(ended(claim, RefusedClaim.permanent(failure)));
            case Resolution.Skipped() -> Uni.createFrom().item(new Ended(SKIPPED, RetryPolicy.DEFAULT));
            case Resolution.Workflow workflow ->
                whileHeld(lease, () -> workflows.advance(claim, workflow))
                        .map(outcome -> new Ended(outcome, RefusedClaim.OWN_POLICY));
            case Resolution.Approval question ->
                whileHeld(lease, () -> deliveries.ask(claim, question))
                        .map(outcome -> new Ended(outcome, question.policy(), question.reported()));
            case Resolution.Pulled _ ->
                whileHeld(lease, () -> deliveries.leaveToPullWorkers(claim))
                        .replaceWith(new Ended(new Outcome.Recorded(), RetryPolicy.DEFAULT));
            case Resolution.Ready ready ->
                // Once more, since what came before may have taken long.
                unlessPaused(lease, PAUSED, () -> dispatch(lease, span, ready))
                        .map(outcome -> new Ended(outcome, ready.policy(), ready.reported()));
        });
    }

    private Uni<Outcome> dispatch(Lease lease, @Nullable AttemptSpan span, Resolution.Ready ready) {
        var claim = lease.claim();
        if (!lease.term().left().isPositive()) {
            return Uni.createFrom().item(new Outcome.LeaseLost());
        }
        if (lease.isExpired()) {
            return Uni.createFrom().item(EXPIRED);
        }
        if (span != null) {
            span.sends(ready.request(), ready.redact());
        }
        if (ready.preemptible()) {
            lease.mayYield();
        }
        var begunAt = System.nanoTime();
        // Cancelling a dispatch aborts the outgoing call.
        return lease.orCancelled(() -> deliveries.send(claim, ready, spans.trace(claim)))
                .invoke(outcome ->
                        metrics.ended(claim.endpoint(), ready.request(), outcome, System.nanoTime() - begunAt))
                .map(outcome -> isCutShort(lease, ready, outcome)
                        ? new Outcome.PermanentFailure(
                                RefusedClaim.notRepeated(Failure.Type.WORKER_LOST, "The worker was stopped", claim))
                        : outcome)
                .onFailure(_ -> ready.onWorkerLost() == OnWorkerLost.FAIL && lease.wasCalled())
                .recoverWithItem(failure -> {
                    logUnexpected(claim, failure);
                    return new Outcome.PermanentFailure(
                            RefusedClaim.notRepeated(Failure.Type.INTERNAL_ERROR, "taskexec failed", claim));
                });
    }

    private static boolean isCutShort(Lease lease, Resolution.Ready ready, Outcome outcome) {
        return ready.onWorkerLost() == OnWorkerLost.FAIL && outcome instanceof Outcome.Interrupted && lease.wasCalled();
    }

    private static Ended ended(Claim claim, RefusedClaim refused) {
        if (claim.failures() == 0 && refused.outcome() instanceof Outcome.RetryableFailure(var failure, var _)) {
            LogFields.of(claim)
                    .log(() -> LOG.errorf("execution %s cannot be run: %s", shown(claim), failure.message()));
        }
        return new Ended(refused.outcome(), refused.policy());
    }

    /** A database outage or a defect of taskexec, which more attempts may outlive. */
    private static Ended unexpected(Claim claim, Throwable failure) {
        logUnexpected(claim, failure);
        if (claim.isDeferred()) {
            return LATER;
        }
        var error = new Failure(Failure.Type.INTERNAL_ERROR, "taskexec could not run the attempt; its log says why.");
        return new Ended(new Outcome.RetryableFailure(error, null), RefusedClaim.OWN_POLICY);
    }

    private static void logUnexpected(Claim claim, Throwable failure) {
        LogFields.of(claim)
                .log(() -> LOG.errorf(
                        failure, "attempt %d of execution %s failed unexpectedly", claim.attempt(), shown(claim)));
    }

    private Transition classify(Claim claim, @Nullable AttemptSpan span, Ended ended) {
        if (span != null) {
            spans.end(span, ended.outcome());
        }
        if (LOG.isDebugEnabled()) {
            LogFields.of(claim)
                    .log(() -> LOG.debugf(
                            "attempt %d of execution %s: %s",
                            claim.attempt(),
                            shown(claim),
                            ended.outcome().getClass().getSimpleName()));
        }
        var jitter = ThreadLocalRandom.current().nextDouble();
        var next = Transitions.next(claim, ended.policy(), ended.outcome(), jitter);
        return next instanceof Transition.Succeed success && ended.reported()
                ? new Transition.Succeed(success.output(), true)
                : next;
    }

    private Uni<Boolean> record(Lease lease, UUID workerId, Transition transition) {
        var claim = lease.claim();
        return whileHeld(lease, () -> recorder.record(claim, workerId, transition))
                .invoke(recorded -> {
                    if (recorded && transition instanceof Transition.Fail) {
                        workflows.failed(claim);
                    }
                })
                .call(recorded -> recorded ? Uni.createFrom().voidItem() : sayWhy(claim));
    }

    private Uni<Void> sayWhy(Claim claim) {
        if (claim.isDeferred()) {
            // Its receiver or a person was faster than the look.
            LogFields.of(claim).log(() -> LOG.debugf("a look at execution %s came to nothing", shown(claim)));
            return Uni.createFrom().voidItem();
        }
        return deliveries
                .looks()
                .wasSettled(claim)
                .onFailure()
                .recoverWithItem(false)
                .invoke(settled -> LogFields.of(claim).log(() -> {
                    if (settled) {
                        LOG.infof("execution %s was completed by a callback or ended by a caller", shown(claim));
                    } else {
                        LOG.warnf("result of execution %s not recorded: the lease was lost", shown(claim));
                    }
                }))
                .replaceWithVoid();
    }

    /**
     * Tries again what the database could not do, for as long as the lease holds. With too many that wait here nothing
     * more is claimed.
     */
    private static <T> Uni<T> whileHeld(Lease lease, Supplier<Uni<T>> work) {
        // What a retry needs costs more than the work that hardly ever fails, so it is made when it is needed.
        return work.get().onFailure(failure -> isWorthWaiting(lease, failure)).recoverWithUni(() -> again(lease, work));
    }

    private static <T> Uni<T> again(Lease lease, Supplier<Uni<T>> work) {
        return Uni.createFrom()
                .voidItem()
                .onItem()
                .delayIt()
                .by(FIRST_RETRY)
                .chain(() -> work.get())
                .onFailure(failure -> isWorthWaiting(lease, failure))
                .retry()
                .withBackOff(FIRST_RETRY, LAST_RETRY)
                .indefinitely();
    }

    private static boolean isWorthWaiting(Lease lease, Throwable failure) {
        return failure instanceof UnavailableException && lease.term().left().isPositive();
    }

    /** The row stays leased; when the lease ends it is claimed again and the attempt counts as lost. */
    private static boolean notRecorded(Claim claim, Throwable failure) {
        LogFields.of(claim).log(() -> {
            if (failure instanceof UnavailableException) {
                LOG.warnf("result of execution %s not recorded while its lease held: %s", shown(claim), failure);
            } else {
                LOG.errorf(failure, "result of execution %s could not be recorded", shown(claim));
            }
        });
        return false;
    }

    private static String shown(Claim claim) {
        return PublicId.EXECUTION.show(claim.executionId());
    }
}
