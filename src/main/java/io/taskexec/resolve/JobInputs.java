package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.dependency.ParentResult;
import io.taskexec.model.job.Failure;
import io.taskexec.store.dependency.ParentResults;
import io.taskexec.template.Namespace;
import io.taskexec.template.Scope;
import io.taskexec.template.SecretSource;
import io.taskexec.template.TemplateTree;
import io.taskexec.template.UnresolvableException;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * Finds the values that a job brings. Of a job without parents that is its input; of one with parents their results
 * too, as far as a condition or a template looks at them.
 */
@Singleton
final class JobInputs {
    private final ParentResults results;
    private final InputSchemas schemas;

    JobInputs(ParentResults results, InputSchemas schemas) {
        this.results = results;
        this.schemas = schemas;
    }

    Uni<JobInput> of(Claim claim, EndpointPlan plan) {
        var options = claim.options();
        if (!claim.hasParents() || !(plan.uses(Namespace.PARENTS) || options.when() != null || options.isTemplate())) {
            return Uni.createFrom().item(new JobInput.Ready(claim.input(), null));
        }
        return results.of(claim.jobId()).chain(parents -> {
            JsonNode tree = ParentResult.tree(parents);
            var condition = options.condition();
            if (condition != null
                    && !condition.holds(JsonNodeFactory.instance.objectNode().set("parents", tree))) {
                return Uni.createFrom().item(new JobInput.Skipped());
            }
            return options.isTemplate()
                    ? resolved(claim, plan, tree)
                    : Uni.createFrom().item(new JobInput.Ready(claim.input(), tree));
        });
    }

    private Uni<JobInput> resolved(Claim claim, EndpointPlan plan, JsonNode parents) {
        var input = claim.input();
        try {
            var scope = new Scope(null, null, SecretSource.NONE, parents, JobInput.job(claim));
            JsonNode value = input == null ? null : TemplateTree.parse(input).resolve(scope);
            return schemas.refusal(plan.payloadSpec(), value).map(refusal -> checked(value, parents, refusal));
        } catch (UnresolvableException e) {
            return Uni.createFrom()
                    .item(new JobInput.Invalid(
                            Failure.Type.TEMPLATE_RESOLUTION_FAILED, String.valueOf(e.getMessage())));
        }
    }

    private static JobInput checked(@Nullable JsonNode input, JsonNode parents, @Nullable String refusal) {
        return refusal == null
                ? new JobInput.Ready(input, parents)
                : new JobInput.Invalid(
                        Failure.Type.INPUT_VALIDATION_FAILED,
                        "The input, with the results of its parents, does not match the payload spec: " + refusal);
    }
}
