package io.taskexec.resolve;

import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.endpoint.ApprovalSpec;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import io.taskexec.template.Template;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The plan of an approval, which asks a person and sends nothing itself. */
final class ApprovalPlan implements RequestPlan {
    private final ApprovalSpec spec;
    private final Template title;
    private final @Nullable Template details;

    ApprovalPlan(ApprovalSpec spec) {
        this.spec = spec;
        this.title = Template.parse(spec.title());
        this.details = spec.details() == null ? null : Template.parse(spec.details());
    }

    @Override
    public Set<Reference> references() {
        var references = new HashSet<>(title.references());
        if (details != null) {
            references.addAll(details.references());
        }
        return references;
    }

    /** The question; throws UnresolvableException. */
    Resolution ask(Scope scope, RetryPolicy policy, boolean reported) {
        return new Resolution.Approval(
                spec, title.text(scope), details == null ? null : details.text(scope), policy, reported);
    }

    @Override
    public DispatchRequest request(Scope scope) {
        throw new IllegalStateException("an approval is not sent");
    }
}
