package io.taskexec.worker.observe;

import io.taskexec.model.PublicId;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.observe.trace.Tracing;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Records attempts as spans, those of traces that are recorded. Costs nothing while there is no collector. */
@Singleton
public final class AttemptSpans {
    private final Tracing tracing;
    private final boolean on;

    public AttemptSpans(Tracing tracing) {
        this.tracing = tracing;
        this.on = tracing.isOn();
    }

    /** The trace that the attempt goes on with, null for the one that begins with its execution and is recorded. */
    @Nullable
    public TraceContext trace(Claim claim) {
        if (claim.trace() != null || !on) {
            return claim.trace();
        }
        var own = TraceContext.ofExecution(PublicId.EXECUTION.show(claim.executionId()));
        return own.sampled(tracing.samples(own.traceId()));
    }

    /** An attempt begins; returns null when it is not recorded. */
    @Nullable
    public AttemptSpan begin(Claim claim) {
        if (!on) {
            return null;
        }
        var trace = trace(claim);
        return trace != null && trace.sampled() ? new AttemptSpan(claim, trace) : null;
    }

    /** An attempt is over. */
    public void end(AttemptSpan attempt, Outcome outcome) {
        var span = attempt.ended(outcome);
        if (span != null) {
            tracing.record(span);
        }
    }
}
