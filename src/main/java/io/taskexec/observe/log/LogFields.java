package io.taskexec.observe.log;

import io.taskexec.model.PublicId;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.vertx.core.impl.ContextInternal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/**
 * The ids of what a line of the log concerns. No context follows the steps of a chain here, so they are set around the
 * one call that logs.
 */
public final class LogFields {
    private final Map<String, String> fields = new LinkedHashMap<>();

    private LogFields() {}

    /** Of an attempt: its job, execution, number and trace. */
    public static LogFields of(Claim claim) {
        var execution = PublicId.EXECUTION.show(claim.executionId());
        return new LogFields()
                .with("job_id", PublicId.JOB.show(claim.jobId()))
                .with("execution_id", execution)
                .with("attempt", Integer.toString(claim.attempt()))
                .with(claim.trace() == null ? TraceContext.ofExecution(execution) : claim.trace());
    }

    /** Of a job. */
    public static LogFields ofJob(UUID jobId) {
        return new LogFields().with("job_id", PublicId.JOB.show(jobId));
    }

    /** Of a request and the trace that it belongs to, if any. */
    public static LogFields ofRequest(String requestId, @Nullable TraceContext trace) {
        var fields = new LogFields().with("request_id", requestId);
        return trace == null ? fields : fields.with(trace);
    }

    private LogFields with(TraceContext trace) {
        return with("trace_id", trace.traceId());
    }

    private LogFields with(String name, String value) {
        fields.put(name, value);
        return this;
    }

    /** Runs {@code line}, which logs, with these fields. */
    public void log(Runnable line) {
        var here = ContextInternal.current();
        if (here == null || here.isDuplicate()) {
            logHere(line);
            return;
        }
        // The fields belong to a duplicated context. Outside of one each look at them would make a context of its own.
        var own = here.duplicate();
        var before = own.beginDispatch();
        try {
            logHere(line);
        } finally {
            own.endDispatch(before);
        }
    }

    private void logHere(Runnable line) {
        fields.forEach(MDC::put);
        try {
            line.run();
        } finally {
            fields.keySet().forEach(MDC::remove);
        }
    }
}
