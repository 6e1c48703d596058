package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.Failure;
import io.taskexec.model.job.JobOptions;
import io.taskexec.model.job.Target;
import io.taskexec.secret.Redaction;
import io.taskexec.secret.SecretUnreadableException;
import io.taskexec.store.sql.UnreadableException;
import io.taskexec.template.Namespace;
import io.taskexec.template.Scope;
import io.taskexec.template.UnresolvableException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Resolves claimed executions. */
@Singleton
public final class Resolver {
    private final PlanCache plans;
    private final SecretValues secrets;
    private final SigningResolver signing;
    private final JobInputs inputs;
    private final CallbackAddresses addresses;

    Resolver(
            PlanCache plans,
            SecretValues secrets,
            SigningResolver signing,
            JobInputs inputs,
            CallbackAddresses addresses) {
        this.plans = plans;
        this.addresses = addresses;
        this.secrets = secrets;
        this.signing = signing;
        this.inputs = inputs;
    }

    /**
     * What {@link #resolve} would return, where all that it needs has been read before, as for nearly all executions.
     * Null for others, for which it may begin to load what is missing, and for those with parents, of workflows and of
     * pull workers.
     */
    public @Nullable Resolution known(Claim claim) {
        if (hasContext(claim)) {
            return null;
        }
        var found = plans.plan(claim.endpoint(), claim.endpointVersion(), claim.options());
        var plan = isLoaded(found) ? found.resultNow().orElse(null) : null;
        if (plan == null || plan.requests() instanceof WorkerPlan || plan.requests() instanceof WorkflowPlan) {
            return null;
        }
        var config = plans.config(plan, claim);
        var values = secrets.values(plan.secrets(), claim.secretEpoch());
        if (!isLoaded(config) || !isLoaded(values)) {
            return null;
        }
        var job = new JobInput.Ready(input(claim), null, null);
        return render(claim, job, plan, config.resultNow().orElse(null), values.resultNow());
    }

    /** Whether an execution may need the results of other jobs, which are read for it alone. */
    public static boolean hasContext(Claim claim) {
        return claim.hasParents() || claim.options().run() != null;
    }

    /** Fails only when the database does. */
    public Uni<Resolution> resolve(Claim claim) {
        return shared(plans.plan(claim.endpoint(), claim.endpointVersion(), claim.options()))
                .chain(plan -> plan.isEmpty()
                        ? Uni.createFrom().item(impossible(Failure.Type.INVALID_CONFIGURATION, "The endpoint is gone."))
                        : resolve(claim, plan.get()))
                .onFailure(Resolver::isUnreadable)
                .recoverWithItem(failure -> new Resolution.Unready(
                        new Failure(Failure.Type.UNREADABLE, String.valueOf(failure.getMessage()))));
    }

    /**
     * The settings by which a result of an execution is recorded without a delivery; fails with {@link
     * UnreadableException} or {@link SecretUnreadableException} when a stored part cannot be read.
     *
     * @param epoch of the secrets
     * @param options of its job
     */
    public Uni<ResultSettings> resultSettings(String endpoint, int version, long epoch, JobOptions options) {
        return shared(plans.plan(endpoint, version, options))
                .chain(found -> found.map(plan -> shared(secrets.values(plan.secrets(), epoch))
                                .map(values -> new ResultSettings(
                                        plan.retryPolicy().with(options.rules()),
                                        plan.reported(),
                                        redaction(values, options, Map.of())::redact,
                                        plan.completion())))
                        .orElseGet(() -> Uni.createFrom().item(ResultSettings.DEFAULT)));
    }

    /**
     * The terms on which a pull worker has an execution, without the values of its job; null when its endpoint is of
     * another type, or cannot be read.
     */
    public Uni<Resolution.@Nullable Pulled> pulled(Claim claim) {
        return shared(plans.plan(claim.endpoint(), claim.endpointVersion(), claim.options()))
                .<Resolution.@Nullable Pulled>map(found -> found.map(
                                plan -> plan.requests() instanceof WorkerPlan worker
                                        ? worker.pulled(claim, new JobInput.Ready(null, null, null), plan)
                                        : null)
                        .orElse(null))
                .onFailure(Resolver::isUnreadable)
                .recoverWithNull();
    }

    /** The same of a claim. */
    public Uni<ResultSettings> resultSettings(Claim claim) {
        return resultSettings(claim.endpoint(), claim.endpointVersion(), claim.secretEpoch(), claim.options());
    }

    /** The same, or the default where a stored part cannot be read. */
    public Uni<ResultSettings> readableResultSettings(Claim claim) {
        return resultSettings(claim).onFailure(Resolver::isUnreadable).recoverWithItem(ResultSettings.DEFAULT);
    }

    private static boolean isUnreadable(Throwable failure) {
        return failure instanceof UnreadableException || failure instanceof SecretUnreadableException;
    }

    private Uni<Resolution> resolve(Claim claim, EndpointPlan plan) {
        if (plan.spec() instanceof WorkflowSpec spec) {
            var inline = claim.options().workflow();
            return Uni.createFrom()
                    .item(new Resolution.Workflow(inline == null ? spec : inline.spec(), () -> inputs.of(claim, plan)));
        }
        return hasContext(claim)
                ? inputs.of(claim, plan).chain(input -> switch (input) {
                    case JobInput.Skipped() -> Uni.createFrom().item(new Resolution.Skipped());
                    case JobInput.Invalid(var type, var message) ->
                        Uni.createFrom().item(impossible(type, message));
                    case JobInput.Unchecked unchecked ->
                        Uni.createFrom().item(new Resolution.Unready(unchecked.failure()));
                    case JobInput.Ready ready -> resolve(claim, ready, plan);
                })
                : resolve(claim, new JobInput.Ready(input(claim), null, null), plan);
    }

    /** The input of a job that announces a question has the address of its page, which is not stored. */
    private @Nullable JsonNode input(Claim claim) {
        var question = claim.options().announcement();
        return question != null && claim.input() instanceof ObjectNode input && addresses.areKnown()
                ? input.deepCopy().put("url", addresses.ofPage(question.id(), question.attempt()))
                : claim.input();
    }

    /** Takes out secrets, credentials of a target, and the token of the page of a question. */
    private Redaction redaction(SecretValues.Known secrets, JobOptions options, Map<String, String> headers) {
        var question = options.announcement();
        if (question == null && options.target() == null) {
            return secrets.redaction();
        }
        var hidden = new ArrayList<>(secrets.byName().values());
        if (question != null && addresses.areKnown()) {
            hidden.add(addresses.tokenOfPage(question.id(), question.attempt()));
        }
        if (options.target() != null) {
            headers.forEach((name, value) -> hidden.addAll(Target.secretsOf(name, value)));
        }
        return Redaction.of(hidden);
    }

    private Uni<Resolution> resolve(Claim claim, JobInput.Ready job, EndpointPlan plan) {
        if (plan.requests() instanceof WorkerPlan worker) {
            return Uni.createFrom().item(worker.pulled(claim, job, plan));
        }
        return shared(plans.config(plan, claim))
                .chain(config -> shared(secrets.values(plan.secrets(), claim.secretEpoch()))
                        .map(values -> render(claim, job, plan, config.orElse(null), values)));
    }

    private Resolution render(
            Claim claim, JobInput.Ready job, EndpointPlan plan, @Nullable JsonNode config, SecretValues.Known secrets) {
        try {
            var scope = new Scope(
                    job.input(),
                    config,
                    secrets.byName()::get,
                    job.parents(),
                    job.workflow(),
                    plan.uses(Namespace.JOB) ? JobInput.job(claim) : null);
            if (plan.requests() instanceof ApprovalPlan approval) {
                return approval.ask(
                        scope, plan.retryPolicy().with(claim.options().rules()), plan.reported());
            }
            var request = plan.requests().request(scope);
            var headers = request instanceof HttpCall call ? call.headers() : Map.<String, String>of();
            var redaction = redaction(secrets, claim.options(), headers);
            var extras = signing.extras(plan.identity(), secrets.byName());
            return new Resolution.Ready(
                    withTerms(timed(request, claim.options().timeout()), plan),
                    plan.retryPolicy().with(claim.options().rules()),
                    plan.reported(),
                    plan.onWorkerLost(),
                    plan.preemptible(),
                    redaction == Redaction.NONE ? Resolution.Ready.NOTHING_SECRET : redaction::redact,
                    extras,
                    plan.completion());
        } catch (UnresolvableException e) {
            return impossible(Failure.Type.TEMPLATE_RESOLUTION_FAILED, String.valueOf(e.getMessage()));
        } catch (UnusableSecretException | UnsendableException e) {
            return impossible(Failure.Type.INVALID_CONFIGURATION, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException _) {
            // The message would quote the URL, which may hold a secret.
            return impossible(
                    Failure.Type.INVALID_CONFIGURATION, "The URL is malformed after its templates are resolved.");
        }
    }

    /** The request with the timeout of its job, if that has one. */
    static DispatchRequest timed(DispatchRequest request, @Nullable Duration timeout) {
        return timeout == null ? request : request.withTimeout(timeout);
    }

    private static DispatchRequest withTerms(DispatchRequest request, EndpointPlan plan) {
        if (!(request instanceof HttpCall call)) {
            return request;
        }
        var completion = plan.completion();
        var once = plan.onWorkerLost() == OnWorkerLost.FAIL ? call.once() : call;
        return completion == null ? once : once.deferrable(completion);
    }

    private static Resolution impossible(Failure.Type type, String message) {
        return new Resolution.Impossible(new Failure(type, message));
    }

    private static boolean isLoaded(CompletableFuture<?> load) {
        return load.state() == Future.State.SUCCESS;
    }

    /** A load is shared: a caller that stops waiting must not cancel it for the others. */
    private static <T> Uni<T> shared(CompletableFuture<T> load) {
        return Uni.createFrom().completionStage(() -> load.copy());
    }
}
