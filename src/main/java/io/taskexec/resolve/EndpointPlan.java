package io.taskexec.resolve;

import io.taskexec.model.endpoint.ApprovalSpec;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.endpoint.EndpointSpec;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.KafkaSpec;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.RedisStreamSpec;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.Target;
import io.taskexec.model.wait.Completion;
import io.taskexec.store.sql.UnreadableException;
import io.taskexec.template.Namespace;
import io.taskexec.template.Reference;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One version of an endpoint, prepared for its executions.
 *
 * @param payloadSpec that inputs must satisfy, if any
 * @param namespaces at which its templates look
 * @param secrets the names of those that its requests and their signatures need
 * @param reported whether another endpoint gets the outputs of its executions
 * @param completion how receivers may complete attempts later; null when they may not
 */
record EndpointPlan(
        @Nullable String config,
        @Nullable String payloadSpec,
        RetryPolicy retryPolicy,
        boolean reported,
        OnWorkerLost onWorkerLost,
        boolean preemptible,
        RequestPlan requests,
        Set<Namespace> namespaces,
        Set<String> secrets,
        EndpointSpec spec,
        @Nullable Completion completion) {
    /** Longer than any time that an endpoint can be registered with, and short enough to calculate with. */
    private static final Duration LONGEST = Duration.ofDays(366);

    /** Throws UnreadableException when what is stored is nothing that can have been registered. */
    static EndpointPlan of(Endpoint endpoint) {
        try {
            return switch (endpoint.spec()) {
                case HttpSpec http -> plan(endpoint, http.timeout(), new HttpPlan(http));
                case KafkaSpec kafka -> plan(endpoint, kafka.timeout(), new KafkaPlan(kafka));
                case RedisStreamSpec redis -> plan(endpoint, redis.timeout(), new RedisPlan(redis));
                case WorkflowSpec _ -> plan(endpoint, LONGEST, new WorkflowPlan());
                case ApprovalSpec approval -> plan(endpoint, approval.timeout(), new ApprovalPlan(approval));
                case EndpointSpec.Worker worker ->
                    plan(endpoint, Objects.requireNonNullElse(worker.timeout(), LONGEST), new WorkerPlan(worker));
            };
        } catch (RuntimeException e) {
            throw new UnreadableException(
                    "Version %d of endpoint %s".formatted(endpoint.version(), endpoint.name()), e);
        }
    }

    /**
     * The plan of a job with a target; throws UnreadableException when what is stored is nothing that can have been.
     *
     * @param signingSecrets the names of the secrets that sign the requests to targets
     */
    static EndpointPlan of(Target target, List<String> signingSecrets) {
        try {
            var spec = target.spec().signedBy(signingSecrets);
            var requests = new HttpPlan(spec, target.sendsInput());
            check(target.retryPolicy(), spec.timeout());
            return new EndpointPlan(
                    null,
                    null,
                    target.retryPolicy(),
                    false,
                    OnWorkerLost.RETRY,
                    false,
                    requests,
                    namespaces(requests),
                    secrets(requests, spec),
                    spec,
                    null);
        } catch (RuntimeException e) {
            throw new UnreadableException("The target of the job", e);
        }
    }

    private static EndpointPlan plan(Endpoint endpoint, Duration timeout, RequestPlan requests) {
        var policy = endpoint.retryPolicy();
        check(policy, timeout);
        var reported = endpoint.callbacks().onSuccess() != null;
        return new EndpointPlan(
                endpoint.config(),
                endpoint.payloadSpec(),
                policy,
                reported,
                endpoint.onWorkerLost(),
                endpoint.preemptible(),
                requests,
                namespaces(requests),
                secrets(requests, endpoint.spec()),
                endpoint.spec(),
                endpoint.completion());
    }

    private static Set<Namespace> namespaces(RequestPlan requests) {
        if (requests instanceof WorkerPlan) {
            // A program cannot say beforehand what it looks at.
            return Set.of(Namespace.PARENTS);
        }
        return requests.references().stream().map(Reference::namespace).collect(Collectors.toUnmodifiableSet());
    }

    private static Set<String> secrets(RequestPlan requests, EndpointSpec spec) {
        var all = new HashSet<>(Reference.secretNames(requests.references()));
        all.addAll(spec.identity().signingSecrets());
        return Set.copyOf(all);
    }

    private static void check(RetryPolicy policy, Duration timeout) {
        check("timeout_ms", timeout, Duration.ofMillis(1));
        check("initial_delay_ms", policy.initialDelay(), Duration.ZERO);
        check("max_delay_ms", policy.maxDelay(), Duration.ZERO);
    }

    private static void check(String name, Duration time, Duration shortest) {
        if (time.compareTo(shortest) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " is " + time.toMillis());
        }
    }

    /** Whether its templates look at a namespace. */
    boolean uses(Namespace namespace) {
        return namespaces.contains(namespace);
    }

    /** The signature of its deliveries, and their form. */
    IdentitySpec identity() {
        return spec.identity();
    }
}
