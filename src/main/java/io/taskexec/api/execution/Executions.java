package io.taskexec.api.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.Execution;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import io.taskexec.store.execution.ExecutionStore;

/** Finds executions by the ids that paths give. */
final class Executions {
    private Executions() {}

    /** Fails with EXECUTION_NOT_FOUND. */
    static Uni<Execution> find(ExecutionStore store, String id) {
        var executionId = Lookup.found(PublicId.EXECUTION.parse(id), ErrorCode.EXECUTION_NOT_FOUND, id);
        return store.find(executionId).map(found -> Lookup.found(found, ErrorCode.EXECUTION_NOT_FOUND, id));
    }
}
