package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.Dispatcher;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.model.wait.DeferralTerms;
import io.taskexec.resolve.CallbackAddresses;
import io.taskexec.resolve.Resolution;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.wait.Approvals;
import jakarta.inject.Singleton;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Delivers attempts, and lets their receivers defer them where the endpoint allows it. */
@Singleton
final class Deliveries {
    private final Dispatcher dispatcher;
    private final CallbackAddresses addresses;
    private final DeferredLooks looks;
    private final Approvals approvals;
    private final LeaseStore leases;

    Deliveries(
            Dispatcher dispatcher,
            CallbackAddresses addresses,
            DeferredLooks looks,
            Approvals approvals,
            LeaseStore leases) {
        this.leases = leases;
        this.approvals = approvals;
        this.dispatcher = dispatcher;
        this.addresses = addresses;
        this.looks = looks;
    }

    /** Those that are deferred already. */
    DeferredLooks looks() {
        return looks;
    }

    /** Hands back what a pull worker runs. */
    Uni<Void> leaveToPullWorkers(Claim claim) {
        return leases.moveHome(claim);
    }

    /** Asks a person. */
    Uni<Outcome> ask(Claim claim, Resolution.Approval question) {
        return approvals.ask(claim, question);
    }

    /** Delivers an attempt. Never fails, and never returns a secret. */
    Uni<Outcome> send(Claim claim, Resolution.Ready ready, @Nullable TraceContext trace) {
        var completion = ready.completion();
        var takesCallbacks = completion != null && completion.takesCallbacks();
        if (takesCallbacks && !addresses.areKnown()) {
            return Uni.createFrom().item(withoutAddress());
        }
        var delivery = new Delivery(
                claim.executionId(),
                claim.jobId(),
                claim.attempt(),
                claim.runAt(),
                trace,
                ready.extras(),
                takesCallbacks ? addresses.ofCallback(claim.executionId(), claim.attempt()) : null);
        var sent = dispatcher.dispatch(ready.request(), delivery);
        if (completion != null) {
            return sent.map(outcome -> deferred(outcome, completion, ready.redact()));
        }
        return ready.redact().equals(Resolution.Ready.NOTHING_SECRET)
                ? sent
                : sent.map(outcome -> outcome.redacted(ready.redact()));
    }

    private static Outcome deferred(Outcome outcome, Completion completion, UnaryOperator<String> redact) {
        if (outcome instanceof Outcome.Succeeded && completion.always()) {
            return new Outcome.Deferred(new DeferralTerms(
                    DeferralMode.CALLBACK, completion.timeout(), null, null, completion.heartbeatTimeout()));
        }
        if (outcome instanceof Outcome.Deferred(var terms) && terms.pollUrl() != null) {
            var url = terms.pollUrl().toString();
            if (!redact.apply(url).equals(url)) {
                // It would be stored as it is.
                return new Outcome.PermanentFailure(new Failure(
                        Failure.Type.INVALID_DEFERRAL, "The receiver's Location contains a secret of the endpoint."));
            }
        }
        return outcome.redacted(redact);
    }

    /** Retryable, since an administrator may repair it, and other workers may be set up well. */
    private static Outcome withoutAddress() {
        return new Outcome.RetryableFailure(
                new Failure(
                        Failure.Type.INVALID_CONFIGURATION,
                        "The endpoint has callbacks, but TE_PUBLIC_URL is not set on this worker."),
                null);
    }
}
