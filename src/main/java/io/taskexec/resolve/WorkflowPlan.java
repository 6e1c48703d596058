package io.taskexec.resolve;

import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import java.util.Set;

/** The plan of a workflow, which is run and not sent. */
record WorkflowPlan() implements RequestPlan {
    @Override
    public Set<Reference> references() {
        return Set.of();
    }

    @Override
    public DispatchRequest request(Scope scope) {
        throw new IllegalStateException("a workflow is not sent");
    }
}
