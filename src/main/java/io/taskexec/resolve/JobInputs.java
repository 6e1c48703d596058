package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.dependency.Condition;
import io.taskexec.model.dependency.ParentResult;
import io.taskexec.model.job.Failure;
import io.taskexec.store.dependency.ParentResults;
import io.taskexec.template.Namespace;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import io.taskexec.template.SecretSource;
import io.taskexec.template.TemplateTree;
import io.taskexec.template.UnresolvableException;
import jakarta.inject.Singleton;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the values that a job brings: its input, the results of its parents, and what its workflow knows, as far as a
 * condition or a template looks at them.
 */
@Singleton
final class JobInputs {
    private final ParentResults results;
    private final WorkflowContexts contexts;
    private final InputSchemas schemas;

    JobInputs(ParentResults results, WorkflowContexts contexts, InputSchemas schemas) {
        this.results = results;
        this.contexts = contexts;
        this.schemas = schemas;
    }

    Uni<JobInput> of(Claim claim, EndpointPlan plan) {
        var references = plan.requests().references();
        var condition = claim.options().condition();
        var input = claim.options().isTemplate() ? claim.input() : null;
        var template = input == null ? null : TemplateTree.parse(input);
        var needed = EnumSet.noneOf(Namespace.class);
        needed.addAll(plan.namespaces());
        if (template != null) {
            template.references().forEach(reference -> needed.add(reference.namespace()));
        }
        if (condition != null) {
            condition.pointers().forEach(pointer -> needed.add(namespace(pointer.toString())));
        }
        if (template == null && !needed.contains(Namespace.PARENTS) && !needed.contains(Namespace.WORKFLOW)) {
            return Uni.createFrom().item(new JobInput.Ready(claim.input(), null, null));
        }
        return parents(claim, needed)
                .chain(parents -> workflow(claim, needed, usesContext(references, template, condition))
                        .chain(workflow -> {
                            if (workflow.isTooLarge()) {
                                return tooLarge();
                            }
                            if (condition != null && !holds(condition, parents, workflow.tree())) {
                                return Uni.createFrom().item(new JobInput.Skipped());
                            }
                            return template == null
                                    ? Uni.createFrom().item(new JobInput.Ready(claim.input(), parents, workflow.tree()))
                                    : resolved(claim, plan, template, parents, workflow.tree());
                        }));
    }

    private static Namespace namespace(String pointer) {
        return pointer.startsWith("/workflow/") ? Namespace.WORKFLOW : Namespace.PARENTS;
    }

    private static boolean usesContext(
            Set<Reference> references, @Nullable TemplateTree template, @Nullable Condition condition) {
        return references.stream().anyMatch(Reference::isOfContext)
                || (template != null && template.references().stream().anyMatch(Reference::isOfContext))
                || (condition != null
                        && condition
                                .pointers()
                                .anyMatch(pointer -> pointer.toString().startsWith("/workflow/context")));
    }

    private Uni<@Nullable JsonNode> parents(Claim claim, Set<Namespace> needed) {
        return claim.hasParents() && needed.contains(Namespace.PARENTS)
                ? results.of(claim.jobId()).map(ParentResult::tree)
                : Uni.createFrom().nullItem();
    }

    private Uni<WorkflowContexts.Context> workflow(Claim claim, Set<Namespace> needed, boolean isContextUsed) {
        var run = claim.options().run();
        return run == null || !needed.contains(Namespace.WORKFLOW)
                ? Uni.createFrom().item(WorkflowContexts.Context.NONE)
                : contexts.of(run.id(), isContextUsed);
    }

    private static Uni<JobInput> tooLarge() {
        return Uni.createFrom()
                .item(new JobInput.Invalid(
                        Failure.Type.CONTEXT_TOO_LARGE,
                        "The outputs of the jobs of the workflow are more than 1 MiB together."));
    }

    private static boolean holds(Condition condition, @Nullable JsonNode parents, @Nullable JsonNode workflow) {
        var tree = JsonNodeFactory.instance.objectNode();
        if (parents != null) {
            tree.set("parents", parents);
        }
        if (workflow != null) {
            tree.set("workflow", workflow);
        }
        return condition.holds(tree);
    }

    private Uni<JobInput> resolved(
            Claim claim,
            EndpointPlan plan,
            TemplateTree template,
            @Nullable JsonNode parents,
            @Nullable JsonNode workflow) {
        try {
            var scope = new Scope(null, null, SecretSource.NONE, parents, workflow, JobInput.job(claim));
            JsonNode value = template.resolve(scope);
            return schemas.objection(plan.payloadSpec(), value)
                    .map(objection -> objection == null ? new JobInput.Ready(value, parents, workflow) : objection);
        } catch (UnresolvableException e) {
            return Uni.createFrom()
                    .item(new JobInput.Invalid(
                            Failure.Type.TEMPLATE_RESOLUTION_FAILED, String.valueOf(e.getMessage())));
        }
    }
}
