package io.taskexec.wait;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.Uni;
import io.taskexec.job.CheckTime;
import io.taskexec.job.JobCreation;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.JobOptions.Announcement;
import io.taskexec.model.wait.Approval;
import io.taskexec.model.wait.Decision;
import io.taskexec.model.wait.DeferralTerms;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.resolve.CallbackAddresses;
import io.taskexec.resolve.Resolution;
import io.taskexec.store.wait.ApprovalStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Asks people and acts on their decisions. The question is announced by a job for another endpoint, whose idempotency
 * key makes it one for each announcement, and whose input gets the address of the page when it is delivered. The
 * execution waits without a worker meanwhile.
 */
@Singleton
public final class Approvals {
    private static final Logger LOG = Logger.getLogger(Approvals.class);

    /** Refusals of a job that may be created another time. */
    private static final Set<ErrorCode> LATER = Set.of(ErrorCode.UNAVAILABLE, ErrorCode.CONFLICT);

    private static final Duration SOON = Duration.ofSeconds(30);

    private static final int MOST_DETAILS = 65_536;
    private static final int MOST_TITLE = 1_024;

    private final ApprovalStore store;
    private final JobCreation jobs;
    private final CallbackAddresses addresses;

    Approvals(ApprovalStore store, JobCreation jobs, CallbackAddresses addresses) {
        this.store = store;
        this.jobs = jobs;
        this.addresses = addresses;
    }

    /** Asks a person: notes the question, and announces it. */
    public Uni<Outcome> ask(Claim claim, Resolution.Approval question) {
        if (!addresses.areKnown()) {
            return Uni.createFrom()
                    .item(new Outcome.RetryableFailure(
                            new Failure(
                                    Failure.Type.INVALID_CONFIGURATION,
                                    "An approval has a page, but TE_PUBLIC_URL is not set on this worker."),
                            null));
        }
        var title = cut(question.title(), MOST_TITLE);
        var details = question.details() == null ? null : cut(question.details(), MOST_DETAILS);
        return store.ask(claim, question.spec(), title, details)
                .chain(() -> store.find(claim.executionId()))
                .chain(asked -> asked == null
                        ? Uni.createFrom().<Outcome>item(new Outcome.LeaseLost())
                        : announce(claim, asked, 0)
                                .replaceWith(new Outcome.Deferred(
                                        DeferralTerms.ofApproval(question.spec().timeout()))))
                .onFailure(ApiException.class)
                .recoverWithItem(failure -> unannounced(failure));
    }

    private static Outcome unannounced(ApiException refusal) {
        var failure = new Failure(
                Failure.Type.INVALID_CONFIGURATION, "The approval could not be announced: " + refusal.getMessage());
        return LATER.contains(refusal.code())
                ? new Outcome.RetryableFailure(failure, null)
                : new Outcome.PermanentFailure(failure);
    }

    /** The database has no NUL in texts, and the answers of receivers may. */
    private static String cut(String text, int most) {
        var storable = text.replace('\0', '\uFFFD');
        return storable.length() <= most ? storable : storable.substring(0, most) + "...";
    }

    private Uni<Void> announce(Claim claim, Approval approval, int reminder) {
        var execution = PublicId.EXECUTION.show(claim.executionId());
        var job = JsonNodeFactory.instance
                .objectNode()
                .put("endpoint", approval.announce())
                .put("trigger", "IMMEDIATE")
                .put("idempotency_key", "approval-%s-%d-%d".formatted(execution, approval.attempt(), reminder));
        job.putObject("input")
                .put("title", approval.title())
                .put("details", approval.details())
                .put("url", addresses.ofPages())
                .put("execution_id", execution)
                .put("job_id", PublicId.JOB.show(claim.jobId()))
                .put("deadline", approval.deadline().toString())
                .put("reminder", reminder);
        var fields = Fields.of(job, "", JobFields.NEW_JOB);
        var question = new Announcement(claim.executionId(), approval.attempt());
        return jobs.announce(fields, question, claim.trace(), new CheckTime("approvals", 0))
                .replaceWithVoid();
    }

    /**
     * Looks whether a person has decided, or is to be reminded.
     *
     * @param now by the clock of the database
     */
    public Uni<Outcome> look(Claim claim, Instant now, Instant deadline) {
        return store.find(claim.executionId()).chain(approval -> {
            if (approval == null) {
                return Uni.createFrom().item(timedOut("The question is gone."));
            }
            var decision = approval.decision();
            if (decision != null) {
                return Uni.createFrom().item(decided(approval, decision));
            }
            if (!now.isBefore(deadline)) {
                return Uni.createFrom().item(undecided(approval));
            }
            var remindAt = approval.remindAt();
            return remindAt == null || now.isBefore(remindAt)
                    ? Uni.createFrom().item(later(now, remindAt, deadline))
                    : remind(claim, approval, now, deadline);
        });
    }

    private Uni<Outcome> remind(Claim claim, Approval approval, Instant now, Instant deadline) {
        var number = approval.reminders() + 1;
        var every = approval.remindEvery();
        return announce(claim, approval, number)
                .chain(() -> store.reminded(claim.executionId(), number))
                .replaceWith(later(now, every == null ? null : now.plus(every), deadline))
                .onFailure(ApiException.class)
                .recoverWithItem(refusal -> {
                    LOG.warnf("a reminder is announced later: %s", refusal.getMessage());
                    return later(now, now.plus(SOON), deadline);
                });
    }

    private static Outcome later(Instant now, @Nullable Instant next, Instant deadline) {
        return new Outcome.StillDeferred(
                Duration.between(now, next == null || deadline.isBefore(next) ? deadline : next));
    }

    private static Outcome decided(Approval approval, Decision decision) {
        var json = JsonNodeFactory.instance.objectNode();
        json.putObject("json")
                .put("decision", decision.word())
                .put("by", approval.decidedBy())
                .put("via", approval.decidedVia())
                .put("comment", approval.comment())
                .put("address", approval.address())
                .put("at", String.valueOf(approval.decidedAt()));
        return decision == Decision.APPROVE
                ? new Outcome.Succeeded(json)
                : rejected("Rejected by %s%s"
                        .formatted(approval.decidedBy(), approval.comment() == null ? "." : ": " + approval.comment()));
    }

    private static Outcome undecided(Approval approval) {
        var json = JsonNodeFactory.instance.objectNode();
        json.putObject("json")
                .put("decision", Decision.APPROVE.word())
                .putNull("by")
                .putNull("via")
                .putNull("comment")
                .putNull("address")
                .put("at", approval.deadline().toString());
        return switch (approval.onTimeout()) {
            case FAIL -> timedOut("No decision by %s.".formatted(approval.deadline()));
            case APPROVE -> new Outcome.Succeeded(json);
            case REJECT -> rejected("Rejected, since there was no decision in time.");
        };
    }

    private static Outcome timedOut(String message) {
        return new Outcome.RetryableFailure(new Failure(Failure.Type.DEFERRAL_TIMEOUT, message), null);
    }

    private static Outcome rejected(String message) {
        return new Outcome.PermanentFailure(new Failure(Failure.Type.APPROVAL_REJECTED, message), true);
    }
}
