package io.taskexec.api.explanation;

import io.taskexec.model.PublicId;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.Failure;
import org.jspecify.annotations.Nullable;

/** Explains how an execution has ended. */
final class EndedReason {
    private EndedReason() {}

    /**
     * Returns the reason.
     *
     * @param log the last line of its log, if it has one
     * @param cancelledBy the key that cancelled it, if that is known
     */
    static Reason of(Execution execution, @Nullable String log, @Nullable String cancelledBy) {
        var reason = switch (execution.status()) {
            case SUCCESS ->
                new Reason(ReasonCode.SUCCEEDED, "It succeeded with attempt %d.".formatted(execution.attemptCount()));
            case FAILED -> failed(execution);
            case CANCELLED ->
                new Reason(
                        ReasonCode.CANCELLED,
                        cancelledBy == null ? "It was cancelled." : "It was cancelled by " + cancelledBy + ".");
            case EXPIRED -> new Reason(ReasonCode.EXPIRED, sentence("It ", log, "expired"));
            case SKIPPED -> new Reason(ReasonCode.SKIPPED, sentence("It was ", log, "skipped"));
            case SUPERSEDED -> new Reason(ReasonCode.SUPERSEDED, "Another job took its key before it began.");
            case WAITING, PENDING, QUEUED, RUNNING, DEFERRED, RETRYING ->
                throw new IllegalStateException(execution.status() + " is not final");
        };
        return reason.with("ended_at", execution.completedAt())
                .with("attempt", execution.attemptCount())
                .with("max_attempts", execution.maxAttempts())
                .with("error", execution.error())
                .with("cancelled_by", cancelledBy)
                .with("retried_as", PublicId.EXECUTION.showOrNull(execution.retriedAs()));
    }

    private static Reason failed(Execution execution) {
        var error = execution.error();
        var why = error == null ? "" : error.path("message").asText();
        var isPoisoned = error != null && error.path("type").asText().equals(Failure.Type.WORKER_LOST.name());
        if (execution.retriedAs() != null) {
            return new Reason(ReasonCode.FAILED, joined("It failed, and was replayed.", why));
        }
        return isPoisoned
                ? new Reason(ReasonCode.POISONED, joined("It failed because of lost workers.", why))
                : new Reason(
                        ReasonCode.DEAD_LETTER,
                        joined(
                                "It failed after %s, and was not replayed."
                                        .formatted(Reason.count(execution.attemptCount(), "attempt")),
                                why));
    }

    private static String joined(String sentence, String more) {
        return more.isEmpty() ? sentence : sentence + " " + more;
    }

    /** Lines of the log begin with the verb. */
    private static String sentence(String subject, @Nullable String log, String verb) {
        return subject + (log != null && log.startsWith(verb) ? log : verb) + ".";
    }
}
