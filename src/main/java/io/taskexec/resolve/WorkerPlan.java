package io.taskexec.resolve;

import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.endpoint.EndpointSpec;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import java.util.Set;

/** The plan of what pull workers run, which is handed out and not sent. */
record WorkerPlan(EndpointSpec.Worker spec) implements RequestPlan {
    @Override
    public Set<Reference> references() {
        return Set.of();
    }

    /** What a pull worker gets of an execution. */
    Resolution.Pulled pulled(Claim claim, JobInput.Ready job, EndpointPlan plan) {
        var policy = plan.retryPolicy().with(claim.options().rules());
        var timeout = claim.options().timeout();
        return new Resolution.Pulled(
                job.input(),
                job.parents(),
                timeout == null ? spec.timeout() : timeout,
                plan.preemptible(),
                new ResultSettings(policy, plan.reported(), text -> text, plan.completion()));
    }

    @Override
    public DispatchRequest request(Scope scope) {
        throw new IllegalStateException("what pull workers run is not sent");
    }
}
