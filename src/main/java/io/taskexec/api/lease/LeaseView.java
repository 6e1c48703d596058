package io.taskexec.api.lease;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.lease.HandedOut;
import io.taskexec.lease.LeaseResult;
import io.taskexec.model.PublicId;
import io.taskexec.model.TraceContext;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.lease.CancelReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A lease as its worker sees it. */
@Schema(name = "Lease")
record LeaseView(
        @Schema(description = "Names the lease in all requests that follow.")
        String lease,

        String executionId,
        String jobId,
        String endpoint,
        int endpointVersion,
        int attempt,
        @Nullable JsonNode input,
        int priority,
        List<String> tags,
        Instant runAt,

        @Schema(format = "duration", description = "How long it holds, counted from the answer.")
        String expiresIn,

        @Schema(description = "The end of the attempt, whatever extensions it gets; null for none.") @Nullable
        Instant deadline,

        @Nullable String traceparent,
        @Nullable String workflowId,

        @Schema(description = "The results of the job's parents, as templates see them.") @Nullable
        JsonNode parents,

        @Schema(description = "Where the attempt may be ended once it is deferred.") @Nullable
        String callbackUrl) {
    static LeaseView of(HandedOut.Lease lease) {
        var claim = lease.claim();
        var trace = lease.trace();
        return new LeaseView(
                lease.name(),
                PublicId.EXECUTION.show(claim.executionId()),
                PublicId.JOB.show(claim.jobId()),
                claim.endpoint(),
                claim.endpointVersion(),
                claim.attempt(),
                lease.input(),
                lease.priority(),
                lease.tags(),
                claim.runAt(),
                lease.expiresIn().truncatedTo(ChronoUnit.MILLIS).toString(),
                lease.deadline(),
                trace == null ? null : TraceContext.traceparent(trace.traceId(), trace.parentId(), trace.sampled()),
                PublicId.WORKFLOW.showOrNull(lease.workflow()),
                lease.parents(),
                lease.callbackUrl());
    }

    /** The answer to a request for leases. */
    @Schema(name = "LeaseList")
    record Leases(
            List<LeaseView> leases,

            @Schema(description = "Attempts that the worker is to stop.")
            List<Cancelled> cancelled) {
        static Leases of(HandedOut handed) {
            return new Leases(
                    handed.leases().stream().map(LeaseView::of).toList(),
                    handed.cancelled().stream().map(Cancelled::of).toList());
        }
    }

    /** An attempt that its worker is to stop. */
    @Schema(name = "CancelledLease")
    record Cancelled(String lease, String executionId, CancelReason reason) {
        static Cancelled of(HandedOut.Cancelled cancelled) {
            return new Cancelled(
                    cancelled.lease(), PublicId.EXECUTION.show(cancelled.executionId()), cancelled.reason());
        }
    }

    /** The answer to a request about leases. */
    @Schema(name = "LeaseResults")
    record Results(
            @Schema(description = "One for each item of the request, in its order.")
            List<Result> results) {}

    /** The result of one item of a request. */
    @Schema(name = "LeaseResult")
    record Result(
            String lease,
            Status status,

            @Schema(description = "Of an item that changed nothing.") @Nullable
            ItemError error,

            @Schema(format = "duration", description = "Of an extension: how long the lease holds from now on.")
            @Nullable
            String expiresIn,

            @Schema(description = "Of an extension: why the worker should release it.") @Nullable
            CancelReason cancel,

            @Schema(description = "Of an end: the status of the execution.") @Nullable
            ExecutionStatus executionStatus,

            @Schema(description = "Of a deferral.") @Nullable
            String callbackUrl) {
        static Result of(String lease, LeaseResult result) {
            return switch (result) {
                case LeaseResult.Extended(var expiresIn, var cancel) ->
                    ok(lease, expiresIn.truncatedTo(ChronoUnit.MILLIS).toString(), cancel, null, null);
                case LeaseResult.Ended(var status) -> ok(lease, null, null, status, null);
                case LeaseResult.Deferred(var url) -> ok(lease, null, null, null, url);
                case LeaseResult.Refused(var code, var message) ->
                    new Result(lease, Status.ERROR, new ItemError(code, message), null, null, null, null);
            };
        }

        private static Result ok(
                String lease,
                @Nullable String expiresIn,
                @Nullable CancelReason cancel,
                @Nullable ExecutionStatus status,
                @Nullable String callbackUrl) {
            return new Result(lease, Status.OK, null, expiresIn, cancel, status, callbackUrl);
        }
    }

    /** The reason why an item changed nothing. */
    @Schema(name = "LeaseItemError")
    record ItemError(LeaseResult.Code code, String message) {}

    /** Whether an item of a request was carried out. */
    @Schema(name = "LeaseResultStatus")
    enum Status {
        OK,
        ERROR
    }
}
