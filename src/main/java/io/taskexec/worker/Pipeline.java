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
import io.taskexec.resolve.RefusedClaim;
import io.taskexec.resolve.Resolution;
import io.taskexec.resolve.Resolver;
import io.taskexec.store.execution.ResultRecorder;
import io.taskexec.store.sql.UnavailableException;
import io.taskexec.worker.breaker.Breakers;
import io.taskexec.worker.breaker.Breakers.Admission;
import io.taskexec.worker.breaker.Breakers.Admission.Admitted;
import io.taskexec.worker.observe.AttemptMetrics;
import io.taskexec.worker.observe.AttemptObservation;
import io.taskexec.worker.observe.AttemptSpan;
import io.taskexec.worker.observe.AttemptSpans;
import io.taskexec.workflow.WorkflowRuns;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The life of one attempt: admit, resolve, dispatch, classify, record. */
@Singleton
final class Pipeline {
    private static final Logger LOG = Logger.getLogger(Pipeline.class);

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

    /**
     * Runs one attempt.
     *
     * @param ended told when the attempt has ended and only its result is left to be recorded
     * @param finished told afterwards, in any case, whether the result was recorded
     */
    void run(Lease lease, UUID workerId, Runnable ended, Consumer<Boolean> finished) {
        new Attempt(lease).run(workerId, ended, finished);
    }

    /** The progress of the recording of results. */
    TaskProgress progress() {
        return recorder.progress();
    }

    /**
     * An attempt that is under way, with the policy for its outcome. Each operator of Mutiny costs about as much as a
     * step of the work, so a plain job passes through few of them.
     */
    private final class Attempt {
        private final Lease lease;
        private final Claim claim;
        private final @Nullable AttemptSpan span;
        private RetryPolicy policy = RetryPolicy.DEFAULT;
        private boolean reported;
        private @Nullable Admitted admitted;
        private Resolution.@Nullable Ready sent;
        private long sentAt;
        private @Nullable Transition result;
        private long recordingAt;

        Attempt(Lease lease) {
            this.lease = lease;
            this.claim = lease.claim();
            this.span = spans.begin(claim);
        }

        void run(UUID workerId, Runnable ended, Consumer<Boolean> finished) {
            var _ = Uni.createFrom()
                    .deferred(() -> unlessPaused(this::unpaused))
                    .onItemOrFailure()
                    .transformToUni((outcome, failure) -> record(workerId, end(outcome, failure, ended)))
                    .subscribe()
                    .with(recorded -> finish(workerId, recorded, finished), failure -> {
                        notRecorded(failure);
                        finished.accept(false);
                    });
        }

        /** Goes on unless the queue is paused; hardly ever does that need a look. */
        private Uni<Outcome> unlessPaused(Supplier<Uni<Outcome>> next) {
            return gate.isOpen(lease)
                    ? next.get()
                    : whileHeld(() -> gate.mayBegin(lease))
                            // It is due at once, but is not claimed while its queue is paused.
                            .chain(may ->
                                    may ? next.get() : Uni.createFrom().item(new Outcome.Postponed(Duration.ZERO)));
        }

        private Uni<Outcome> unpaused() {
            if (claim.isDeferred()) {
                return look();
            }
            var refused = RefusedClaim.of(claim, lease.isExpired());
            // Nothing is sent then, so that no receiver need be well.
            return refused == null ? admit() : notBegun(refused);
        }

        /** It was delivered before: neither an attempt nor a reason to ask the breaker. */
        private Uni<Outcome> look() {
            return whileHeld(() -> deliveries.looks().look(lease)).map(look -> {
                decideBy(look.resultSettings().policy(), look.resultSettings().reported());
                return look.outcome();
            });
        }

        private void decideBy(RetryPolicy decisive, boolean isReported) {
            policy = decisive;
            reported = isReported;
        }

        private Uni<Outcome> notBegun(RefusedClaim refused) {
            if (claim.failures() == 0 && refused.outcome() instanceof Outcome.RetryableFailure(var failure, var _)) {
                log(() -> LOG.errorf("execution %s cannot be run: %s", shown(), failure.message()));
            }
            policy = refused.policy();
            return Uni.createFrom().item(refused.outcome());
        }

        private Uni<Outcome> admit() {
            return breakers.admit(claim).chain(admission -> switch (admission) {
                case Admission.Park() -> Uni.createFrom().item(new Outcome.Limited());
                case Admission.Wait(var delay) -> Uni.createFrom().item(new Outcome.Postponed(delay));
                case Admitted mine -> {
                    admitted = mine;
                    var known = resolver.known(claim);
                    yield known == null
                            ? whileHeld(() -> resolver.resolve(claim)).chain(this::resolved)
                            : resolved(known);
                }
            });
        }

        private Uni<Outcome> resolved(Resolution resolution) {
            return switch (resolution) {
                case Resolution.Unready(var failure) -> notBegun(RefusedClaim.retryable(failure));
                case Resolution.Impossible(var failure) -> notBegun(RefusedClaim.permanent(failure));
                case Resolution.Skipped() -> Uni.createFrom().item(new Outcome.Skipped());
                case Resolution.Workflow workflow -> {
                    decideBy(RefusedClaim.OWN_POLICY, false);
                    yield whileHeld(() -> workflows.advance(claim, workflow));
                }
                case Resolution.Approval question -> {
                    decideBy(question.policy(), question.reported());
                    yield whileHeld(() -> deliveries.ask(claim, question));
                }
                case Resolution.Pulled _ ->
                    whileHeld(() -> deliveries.leaveToPullWorkers(claim)).replaceWith(new Outcome.Recorded());
                case Resolution.Ready ready -> {
                    decideBy(ready.policy(), ready.reported());
                    // Once more, since what came before may have taken long.
                    yield unlessPaused(() -> dispatch(ready));
                }
            };
        }

        private Uni<Outcome> dispatch(Resolution.Ready ready) {
            if (lease.term().isOver()) {
                return Uni.createFrom().item(new Outcome.LeaseLost());
            }
            if (lease.isExpired()) {
                return Uni.createFrom().item(new Outcome.Expired());
            }
            if (span != null) {
                span.sends(ready.request(), ready.redact());
            }
            if (ready.preemptible()) {
                lease.mayYield();
            }
            sent = ready;
            sentAt = System.nanoTime();
            // Cancelling a dispatch aborts the outgoing call.
            return lease.orCancelled(() -> deliveries.send(claim, ready, spans.trace(claim)));
        }

        /** Calls {@code ended}, also when this throws; returns what is to be recorded. */
        private Transition end(Outcome known, @Nullable Throwable failure, Runnable ended) {
            Outcome outcome;
            try {
                outcome = failure == null ? notRepeatedIfInterrupted(known) : unexpected(failure);
                count(failure == null ? known : null, outcome);
            } finally {
                // Recording may take as long as an outage, and the request may be large.
                sent = null;
                ended.run();
            }
            return classify(outcome);
        }

        private Outcome notRepeatedIfInterrupted(Outcome known) {
            return known instanceof Outcome.Interrupted && mayNotBeRepeated()
                    ? notRepeated(Failure.Type.WORKER_LOST, "The worker was stopped")
                    : known;
        }

        /** A failure in here is logged alone, so that the result of the call is recorded all the same. */
        private void count(@Nullable Outcome known, Outcome outcome) {
            try {
                if (admitted != null) {
                    breakers.ended(admitted, known == null ? null : outcome);
                }
                if (known != null && sent != null) {
                    metrics.ended(claim.endpoint(), sent.request(), known, System.nanoTime() - sentAt);
                }
            } catch (RuntimeException e) {
                log(() -> LOG.errorf(e, "attempt %d of execution %s was not counted", claim.attempt(), shown()));
            }
        }

        /** A database outage or a defect of taskexec, which more attempts may outlive. */
        private Outcome unexpected(Throwable failure) {
            log(() -> LOG.errorf(failure, "attempt %d of execution %s failed unexpectedly", claim.attempt(), shown()));
            if (claim.isDeferred()) {
                // A receiver is still at work for what is deferred, whatever happens here.
                return new Outcome.StillDeferred(DeferredLooks.LATER);
            }
            if (mayNotBeRepeated()) {
                return notRepeated(Failure.Type.INTERNAL_ERROR, "taskexec failed");
            }
            decideBy(RefusedClaim.OWN_POLICY, false);
            var error =
                    new Failure(Failure.Type.INTERNAL_ERROR, "taskexec could not run the attempt; its log says why.");
            return new Outcome.RetryableFailure(error, null);
        }

        /** Whether the receiver may have got the request, and must not get it again. */
        private boolean mayNotBeRepeated() {
            return sent != null && sent.onWorkerLost() == OnWorkerLost.FAIL && lease.wasCalled();
        }

        private Outcome notRepeated(Failure.Type type, String reason) {
            return new Outcome.PermanentFailure(RefusedClaim.notRepeated(type, reason, claim));
        }

        private Transition classify(Outcome outcome) {
            if (span != null) {
                spans.end(span, outcome);
            }
            if (LOG.isDebugEnabled()) {
                log(() -> LOG.debugf(
                        "attempt %d of execution %s: %s",
                        claim.attempt(), shown(), outcome.getClass().getSimpleName()));
            }
            var jitter = ThreadLocalRandom.current().nextDouble();
            var next = Transitions.next(claim, policy, outcome, jitter);
            return next instanceof Transition.Succeed success && reported
                    ? new Transition.Succeed(success.output(), true)
                    : next;
        }

        private Uni<Boolean> record(UUID workerId, Transition transition) {
            result = transition;
            recordingAt = System.nanoTime();
            var recording = whileHeld(() -> recorder.record(claim, workerId, transition));
            return transition instanceof Transition.Fail
                    ? recording.invoke(recorded -> {
                        if (recorded) {
                            workflows.failed(claim);
                        }
                    })
                    : recording;
        }

        private void finish(UUID workerId, boolean recorded, Consumer<Boolean> finished) {
            if (recorded) {
                finished.accept(true);
            } else {
                var _ = Uni.createFrom()
                        .deferred(() -> wasRecorded(workerId))
                        .subscribe()
                        .with(finished, failure -> {
                            notRecorded(failure);
                            finished.accept(false);
                        });
            }
        }

        /** Whether it is recorded all the same, by a statement whose answer was lost; if not, the log says why. */
        private Uni<Boolean> wasRecorded(UUID workerId) {
            var recording = result;
            var looks = deliveries.looks();
            if (recording == null
                    || recording instanceof Transition.Abandon
                    || !looks.mayHaveLostAnswerSince(recordingAt)) {
                return sayWhy().replaceWith(false);
            }
            return looks.wasRecorded(claim, workerId, recording)
                    .onFailure()
                    .recoverWithItem(false)
                    .invoke(recorded -> {
                        if (!recorded) {
                            sayNotKnown(recording);
                        } else if (recording instanceof Transition.Fail) {
                            workflows.failed(claim);
                        }
                    });
        }

        /** A look is taken again, and of a result that leaves no status there is no record to be found. */
        private void sayNotKnown(Transition recording) {
            var level = claim.isDeferred() || !deliveries.looks().leavesStatus(recording)
                    ? Logger.Level.DEBUG
                    : Logger.Level.WARN;
            log(() -> LOG.logf(
                    level,
                    "it is not known whether the result of execution %s was recorded: "
                            + "an answer of the database was lost",
                    shown()));
        }

        private Uni<Void> sayWhy() {
            if (claim.isDeferred()) {
                if (LOG.isDebugEnabled()) {
                    // Its receiver or a person was faster than the look.
                    log(() -> LOG.debugf("a look at execution %s came to nothing", shown()));
                }
                return Uni.createFrom().voidItem();
            }
            return deliveries
                    .looks()
                    .wasSettled(claim)
                    .onFailure()
                    .recoverWithItem(false)
                    .invoke(settled -> log(() -> {
                        if (settled) {
                            LOG.infof("execution %s was completed by a callback or ended by a caller", shown());
                        } else {
                            LOG.warnf("result of execution %s not recorded: the lease was lost", shown());
                        }
                    }))
                    .replaceWithVoid();
        }

        /**
         * Tries again what the database could not do, for as long as the lease holds. With too many that wait here
         * nothing more is claimed.
         */
        private <T> Uni<T> whileHeld(Supplier<Uni<T>> work) {
            // What a retry needs costs more than the work that hardly ever fails, so it is made when it is needed.
            return work.get().onFailure(this::isWorthWaiting).recoverWithUni(() -> again(work));
        }

        private <T> Uni<T> again(Supplier<Uni<T>> work) {
            return Uni.createFrom()
                    .voidItem()
                    .onItem()
                    .delayIt()
                    .by(FIRST_RETRY)
                    .chain(() -> work.get())
                    .onFailure(this::isWorthWaiting)
                    .retry()
                    .withBackOff(FIRST_RETRY, LAST_RETRY)
                    .indefinitely();
        }

        private boolean isWorthWaiting(Throwable failure) {
            return failure instanceof UnavailableException && !lease.term().isOver();
        }

        /** The row stays leased; when the lease ends it is claimed again and the attempt counts as lost. */
        private void notRecorded(Throwable failure) {
            log(() -> {
                if (failure instanceof UnavailableException) {
                    LOG.warnf("result of execution %s not recorded while its lease held: %s", shown(), failure);
                } else {
                    LOG.errorf(failure, "result of execution %s could not be recorded", shown());
                }
            });
        }

        private void log(Runnable line) {
            LogFields.of(claim).log(line);
        }

        private String shown() {
            return PublicId.EXECUTION.show(claim.executionId());
        }
    }
}
