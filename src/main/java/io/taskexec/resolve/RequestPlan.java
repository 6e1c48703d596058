package io.taskexec.resolve;

import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import java.util.Set;

/** A spec with its templates parsed, from which each execution makes its request. */
sealed interface RequestPlan permits HttpPlan, KafkaPlan, RedisPlan, WorkflowPlan, ApprovalPlan, WorkerPlan {
    /** The references of its templates. */
    Set<Reference> references();

    /**
     * Throws UnresolvableException, and UnsendableException when what comes out cannot be sent, or
     * IllegalArgumentException when it is a URL that cannot.
     */
    DispatchRequest request(Scope scope);
}
