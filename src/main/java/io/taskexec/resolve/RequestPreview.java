package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.DeliveryExtras.CloudEvent;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.endpoint.Config;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.Job;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.store.endpoint.ConfigStore;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.sql.UnreadableException;
import io.taskexec.template.Scope;
import io.taskexec.template.UnresolvableException;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Makes the HTTP request of an execution again, without its secrets: marks are in their places. Addresses that give
 * rights, those of callbacks and of the pages of approvals, are left out.
 */
@Singleton
public final class RequestPreview {
    private final EndpointStore endpoints;
    private final ConfigStore configs;
    private final JobInputs inputs;
    private final CallbackAddresses addresses;
    private final String source;
    private final List<String> targetSecrets;

    RequestPreview(
            EndpointStore endpoints,
            ConfigStore configs,
            JobInputs inputs,
            CallbackAddresses addresses,
            CloudEventsConfig events,
            TargetConfig targets) {
        this.endpoints = endpoints;
        this.configs = configs;
        this.inputs = inputs;
        this.addresses = addresses;
        this.source = events.source();
        this.targetSecrets = targets.signingSecrets().orElse(List.of());
    }

    /** The result of a preview. */
    public sealed interface Result {
        /**
         * A request.
         *
         * @param marks to the names of secrets; no other value can contain one of them
         * @param event the attributes of its CloudEvent; null when it is not one
         * @param hasCallbacks whether its receiver was told an address for callbacks
         */
        record Request(
                HttpCall call,
                Map<String, String> marks,
                IdentitySpec identity,
                @Nullable CloudEvent event,
                boolean hasCallbacks)
                implements Result {}

        /** There is no HTTP request, for a reason in words. */
        record Impossible(String reason) implements Result {}
    }

    /** Makes the request with the versions of endpoint and config that the execution uses, once it has begun. */
    public Uni<Result> of(Execution execution, Job job) {
        var claim = claim(execution, job);
        return plan(claim)
                .chain(plan -> plan.map(found -> of(claim, found))
                        .orElseGet(() -> impossible("Its endpoint has been deleted.")))
                .onFailure(UnreadableException.class)
                .recoverWithItem(failure -> new Result.Impossible(failure.getMessage() + "."));
    }

    private Uni<Optional<EndpointPlan>> plan(Claim claim) {
        var target = claim.options().target();
        return target == null
                ? endpoints
                        .find(claim.endpoint(), claim.endpointVersion())
                        .map(endpoint -> Optional.ofNullable(endpoint).map(EndpointPlan::of))
                : Uni.createFrom().item(() -> Optional.of(EndpointPlan.of(target, targetSecrets)));
    }

    private Uni<Result> of(Claim claim, EndpointPlan plan) {
        if (!(plan.requests() instanceof HttpPlan http)) {
            return impossible("Its endpoint is not of the type HTTP.");
        }
        return inputs.of(claim, plan).chain(input -> switch (input) {
            case JobInput.Skipped() -> impossible("Its condition does not hold.");
            case JobInput.Invalid(var _, var message) -> impossible(message);
            case JobInput.Unchecked(var message) -> impossible(message);
            case JobInput.Ready ready -> config(claim, plan).map(config -> render(claim, ready, plan, http, config));
        });
    }

    private static Uni<Result> impossible(String reason) {
        return Uni.createFrom().item(new Result.Impossible(reason));
    }

    private Uni<Optional<JsonNode>> config(Claim claim, EndpointPlan plan) {
        var name = plan.config();
        var version = claim.configVersion();
        if (name == null) {
            return Uni.createFrom().item(Optional.empty());
        }
        return version == null
                ? configs.find(name).map(found -> Optional.ofNullable(found).map(Config::values))
                : configs.values(name, version).map(Optional::ofNullable);
    }

    private Result render(
            Claim claim, JobInput.Ready job, EndpointPlan plan, HttpPlan http, Optional<JsonNode> config) {
        var marks = new LinkedHashMap<String, String>();
        // Random, so that no input can name a secret of the client that puts values in the places of the marks.
        var prefix = "secret-" + UUID.randomUUID() + "-";
        var byName = new LinkedHashMap<String, String>();
        for (var name : plan.secrets()) {
            var mark = prefix + byName.size() + "-";
            byName.put(name, mark);
            marks.put(mark, name);
        }
        var scope = new Scope(
                job.input(), config.orElse(null), byName::get, job.parents(), job.workflow(), JobInput.job(claim));
        try {
            var call = (HttpCall)
                    Resolver.timed(http.request(scope), claim.options().timeout());
            var type = plan.identity().eventType();
            return new Result.Request(
                    call,
                    marks,
                    plan.identity(),
                    type == null ? null : new CloudEvent(source, type),
                    takesCallbacks(plan));
        } catch (UnresolvableException e) {
            return new Result.Impossible(e.getMessage() + ".");
        } catch (IllegalArgumentException _) {
            return new Result.Impossible("The URL is malformed after its templates are resolved.");
        }
    }

    private static boolean takesCallbacks(EndpointPlan plan) {
        var completion = plan.completion();
        return completion != null && completion.modes().contains(DeferralMode.CALLBACK);
    }

    private Claim claim(Execution execution, Job job) {
        return new Claim(
                execution.id(),
                execution.jobId(),
                0,
                execution.attemptCount(),
                0,
                0,
                execution.endpoint(),
                execution.endpointVersion(),
                execution.configVersion(),
                0,
                input(job),
                execution.runAt(),
                null,
                null,
                null,
                null,
                job.options(),
                job.dependencies() != null,
                false,
                false);
    }

    /** The job that announces a question has the address of its page in the delivered input. */
    private @Nullable JsonNode input(Job job) {
        return job.options().announcement() != null && job.input() instanceof ObjectNode input && addresses.areKnown()
                ? input.deepCopy().put("url", addresses.ofPages())
                : job.input();
    }
}
