package io.taskexec.wait;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.Report;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.resolve.Resolver;
import io.taskexec.resolve.ResultSettings;
import io.taskexec.secret.CallbackTokens.Subject;
import io.taskexec.store.execution.CallbackClaims;
import io.taskexec.store.wait.CallbackRecordStore;
import io.taskexec.store.wait.CallbackRecordStore.CallbackRecord;
import io.taskexec.store.wait.ReportStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Takes what receivers say of attempts. A callback that ends one takes the lease of the execution and records the
 * result as a worker would. The same callback may come any number of times: it is answered by what is recorded.
 */
@Singleton
public final class ReceiverCallbacks {
    /** How often a callback looks whether another one for the same attempt is done. */
    private static final int MOST_TRIES = 40;

    private static final Duration BETWEEN_TRIES = Duration.ofMillis(50);

    private final CallbackClaims claims;
    private final ReportStore reports;
    private final CallbackRecordStore records;
    private final Resolver resolver;
    private final OutsideResults results;

    /** Attempts that fail by a callback have no worker. */
    private final UUID self = UUID.randomUUID();

    ReceiverCallbacks(
            CallbackClaims claims,
            ReportStore reports,
            CallbackRecordStore records,
            Resolver resolver,
            OutsideResults results) {
        this.claims = claims;
        this.reports = reports;
        this.records = records;
        this.resolver = resolver;
        this.results = results;
    }

    /** Takes a callback; fails with an {@link ApiException} when the attempt has ended in another way. */
    public Uni<CallbackAnswer> accept(Subject attempt, CallbackRequest request) {
        return (switch (request) {
                    case CallbackRequest.Ongoing(var report) -> report(attempt, report);
                    case CallbackRequest.End(var outcome) -> end(attempt, outcome, MOST_TRIES);
                })
                .invoke(() -> records.count("accepted"))
                .onFailure(ApiException.class)
                .invoke(() -> records.count("refused"));
    }

    private Uni<CallbackAnswer> report(Subject attempt, Report report) {
        var checked = report.extend() == null && report.message() == null
                ? Uni.createFrom().item(report)
                : find(attempt).chain(this::resultSettings).map(resultSettings -> {
                    checkExtension(report.extend(), resultSettings.completion());
                    return report.redacted(resultSettings.redact());
                });
        return checked.chain(shown -> reports.record(attempt.executionId(), attempt.attempt(), shown))
                .chain(recorded -> recorded
                        ? Uni.createFrom().item(CallbackAnswer.ONGOING)
                        : find(attempt).map(record -> {
                            throw over(record);
                        }));
    }

    private Uni<CallbackRecord> find(Subject attempt) {
        return records.find(attempt.executionId(), attempt.attempt())
                .map(found -> found.orElseThrow(ReceiverCallbacks::unknown));
    }

    private static void checkExtension(@Nullable Duration extend, @Nullable Completion completion) {
        if (extend != null && completion != null && extend.compareTo(completion.timeout()) > 0) {
            var message = "must be at most " + completion.timeout() + ", the timeout of the endpoint";
            throw ApiException.at(ErrorCode.INVALID_REQUEST, "/extend", message);
        }
    }

    /** Takes the lease when all that the record needs is known: the worker of an attempt that runs loses its own. */
    private Uni<CallbackAnswer> end(Subject attempt, Outcome outcome, int triesLeft) {
        return find(attempt)
                .chain(record -> resultSettings(record).chain(resultSettings -> {
                    var redacted = outcome.redacted(resultSettings.redact());
                    return record.isOpen()
                            ? end(attempt, redacted, resultSettings)
                                    .chain(answer -> answer == null
                                            ? again(attempt, outcome, triesLeft)
                                            : Uni.createFrom().item(answer))
                            : Uni.createFrom().item(repeated(record, redacted));
                }));
    }

    private Uni<@Nullable CallbackAnswer> end(Subject attempt, Outcome outcome, ResultSettings resultSettings) {
        return claims.take(attempt.executionId(), attempt.attempt())
                .chain(taken ->
                        taken.isEmpty() ? Uni.createFrom().nullItem() : record(taken.get(), resultSettings, outcome));
    }

    /** Another callback of the same execution is being recorded, or a worker ends its attempt. */
    private Uni<CallbackAnswer> again(Subject attempt, Outcome outcome, int triesLeft) {
        if (triesLeft == 0) {
            throw new ApiException(ErrorCode.UNAVAILABLE, "Other callbacks of the same execution are being recorded.");
        }
        return Uni.createFrom()
                .voidItem()
                .onItem()
                .delayIt()
                .by(BETWEEN_TRIES)
                .chain(() -> end(attempt, outcome, triesLeft - 1));
    }

    /** Returns null when another callback has taken the lease since. */
    private Uni<@Nullable CallbackAnswer> record(Claim claim, ResultSettings resultSettings, Outcome outcome) {
        return results.record(claim, self, resultSettings, outcome).map(transition -> {
            if (transition == null) {
                return null;
            }
            return switch (transition) {
                case Transition.Succeed(var output, var _) -> new CallbackAnswer(ExecutionStatus.SUCCESS, output, null);
                case Transition.Fail(var error) -> new CallbackAnswer(ExecutionStatus.FAILED, null, error);
                case Transition.RetryAfter(var _, var error) ->
                    new CallbackAnswer(ExecutionStatus.RETRYING, null, error);
                default -> throw new IllegalStateException("a callback has made a " + transition);
            };
        });
    }

    private Uni<ResultSettings> resultSettings(CallbackRecord record) {
        return resolver.resultSettings(
                record.endpoint(), record.endpointVersion(), record.secretEpoch(), record.options());
    }

    /** What was recorded by the same callback before; throws when that says something else. */
    private static CallbackAnswer repeated(CallbackRecord record, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Succeeded(var output)
            when "SUCCESS".equals(record.status()) && !record.hasFailed() && output.equals(record.output()) ->
                new CallbackAnswer(ExecutionStatus.SUCCESS, output, null);
            case Outcome.RetryableFailure(var failure, var _) -> repeated(record, failure.toJson());
            case Outcome.PermanentFailure(var failure, var _, var _) -> repeated(record, failure.toJson());
            default -> throw over(record);
        };
    }

    private static CallbackAnswer repeated(CallbackRecord record, JsonNode error) {
        if (error.equals(record.attemptError())) {
            return new CallbackAnswer(statusNow(record), null, error);
        }
        if (!record.hasFailed() && "FAILED".equals(record.status()) && error.equals(record.error())) {
            return new CallbackAnswer(ExecutionStatus.FAILED, null, error);
        }
        throw over(record);
    }

    private static ExecutionStatus statusNow(CallbackRecord record) {
        return record.status() == null ? ExecutionStatus.RETRYING : ExecutionStatus.valueOf(record.status());
    }

    /** The refusal of an unknown token, and of one whose execution has been removed. */
    public static ApiException unknown() {
        return new ApiException(ErrorCode.CALLBACK_NOT_FOUND, "There is no such callback.");
    }

    private static ApiException over(CallbackRecord record) {
        if (record.hasFailed() || record.status() == null) {
            return new ApiException(
                    ErrorCode.ATTEMPT_ENDED, "The attempt has failed before; its callbacks are not taken any more.");
        }
        return new ApiException(
                ErrorCode.EXECUTION_ENDED,
                "The execution has ended with %s, and not by this callback.".formatted(record.status()));
    }

    /** The latest attempt of an execution; fails with an {@link ApiException} when no receiver is waited for. */
    public Uni<Subject> latest(Execution execution) {
        return records.find(execution.id(), execution.attemptCount()).map(record -> {
            if (record.isEmpty() || !record.get().isDeferred()) {
                throw new ApiException(ErrorCode.CONFLICT, notWaiting(execution));
            }
            return new Subject(execution.id(), execution.attemptCount());
        });
    }

    private static String notWaiting(Execution execution) {
        var id = PublicId.EXECUTION.show(execution.id());
        return execution.status() == ExecutionStatus.DEFERRED && execution.endpointType() == EndpointType.APPROVAL
                ? "Execution %s is an approval: its decision comes by POST /approvals/%s/decision.".formatted(id, id)
                : "Execution %s is not deferred.".formatted(id);
    }
}
