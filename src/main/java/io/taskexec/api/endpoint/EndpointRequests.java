package io.taskexec.api.endpoint;

import io.taskexec.job.GraphFields;
import io.taskexec.model.endpoint.ApprovalSpec;
import io.taskexec.model.endpoint.Callbacks;
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.model.endpoint.EndpointSpec;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.KafkaSpec;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.RedisStreamSpec;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.queue.Queue;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.spec.HttpSpecRequests;
import io.taskexec.request.spec.RetryPolicyRequests;
import io.taskexec.request.spec.SpecTemplates;
import io.taskexec.store.endpoint.EndpointStore.Registration;
import io.taskexec.template.Namespace;
import io.taskexec.template.Reference;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads and checks what is said about an endpoint when it is registered. */
final class EndpointRequests {
    /** The settings of deliveries. */
    private static final List<String> DELIVERY =
            List.of("config", "flow", "retry_policy", "on_worker_lost", "preemptible", "completion");

    private EndpointRequests() {}

    /** The definition of a workflow that the fields of a body describe. */
    static Registration readWorkflow(String name, Fields fields) {
        var queue = fields.optionalName("queue");
        var payloadSpec = fields.optionalName("payload_spec");
        var callbacks = new Callbacks(callback(name, fields, "on_success"), callback(name, fields, "on_failure"));
        var spec = GraphFields.read(fields);
        checkSelf(name, spec);
        return new Registration(
                name,
                payloadSpec,
                null,
                queue == null ? Queue.DEFAULT.name() : queue,
                spec,
                RetryPolicy.DEFAULT,
                callbacks,
                OnWorkerLost.RETRY,
                false,
                null,
                null,
                Set.of());
    }

    /** The registration under {@code name} that the fields of a body describe. */
    static Registration read(String name, Fields fields) {
        var type = fields.decisiveChoice("type", EndpointType.class);
        var payloadSpec = fields.optionalName("payload_spec");
        var config = fields.optionalName("config");
        var queue = queue(type, name, fields);
        if (type == EndpointType.WORKFLOW) {
            DELIVERY.stream()
                    .filter(fields::has)
                    .forEach(field -> fields.violation(field, "is not for workflows, which deliver nothing"));
        }
        if (type == EndpointType.APPROVAL && fields.has("completion")) {
            fields.violation("completion", "is not for approvals, which a person completes");
        }
        var spec = spec(type, fields.fields("spec", EndpointFields.spec(type)));
        var retryPolicy = RetryPolicyRequests.read(fields.fields("retry_policy"));
        var callbacks = new Callbacks(callback(name, fields, "on_success"), callback(name, fields, "on_failure"));
        var onWorkerLost = fields.choice("on_worker_lost", OnWorkerLost.class);
        var preemptible = fields.flag("preemptible");
        if (preemptible && onWorkerLost == OnWorkerLost.FAIL) {
            fields.violation("preemptible", "must not be true with on_worker_lost 'fail': it is delivered again");
        }
        var flow = fields.has("flow") ? FlowRequests.read(fields.fields("flow")) : null;
        var completion = fields.has("completion") ? CompletionRequests.read(type, fields.fields("completion")) : null;
        fields.check();
        if (flow != null && !flow.isLimiting()) {
            fields.violation("flow", "must have a limit: max_concurrency, rate, order fifo or fair");
            fields.check();
        }
        var references = templates(spec).references();
        checkConfig(references, config != null);
        checkSelf(name, spec);
        return new Registration(
                name,
                payloadSpec,
                config,
                queue,
                spec,
                retryPolicy,
                callbacks,
                onWorkerLost,
                preemptible,
                flow,
                completion,
                secrets(references, spec));
    }

    /** A WORKER endpoint has a queue of its own, which may be named as the endpoint shows it. */
    private static String queue(EndpointType type, String endpoint, Fields fields) {
        if (type != EndpointType.WORKER) {
            var queue = fields.optionalName("queue");
            return queue == null ? Queue.DEFAULT.name() : queue;
        }
        var own = Queue.ofWorkers(endpoint);
        if (fields.has("queue") && !own.equals(fields.optionalText("queue"))) {
            fields.violation("queue", "must be left out: a WORKER endpoint has a queue of its own");
        }
        return own;
    }

    /** Those that templates use, and those that sign. */
    private static Set<String> secrets(Set<Reference> references, EndpointSpec spec) {
        var secrets = new HashSet<>(Reference.secretNames(references));
        secrets.addAll(spec.identity().signingSecrets());
        return secrets;
    }

    private static @Nullable String callback(String name, Fields fields, String field) {
        var callback = fields.optionalName(field);
        if (name.equals(callback)) {
            fields.violation(field, "must name another endpoint");
        }
        return callback;
    }

    private static EndpointSpec spec(EndpointType type, Fields fields) {
        var spec = switch (type) {
            case HTTP -> HttpSpecRequests.read(fields);
            case KAFKA -> KafkaSpecRequests.read(fields);
            case REDIS_STREAM -> RedisSpecRequests.read(fields);
            case WORKFLOW -> GraphFields.read(fields);
            case APPROVAL -> ApprovalSpecRequests.read(fields);
            case WORKER -> worker(fields);
        };
        fields.checkNested();
        return spec;
    }

    private static EndpointSpec.Worker worker(Fields fields) {
        var timeout = fields.optionalInteger("timeout_ms");
        return new EndpointSpec.Worker(timeout == null ? null : Duration.ofMillis(timeout));
    }

    /** The templates of a spec; throws an {@link ApiException} when one of them cannot stand where it does. */
    static SpecTemplates templates(EndpointSpec spec) {
        var templates = new SpecTemplates();
        switch (spec) {
            case HttpSpec http -> HttpSpecRequests.parse(http, templates);
            case KafkaSpec kafka -> KafkaSpecRequests.parse(kafka, templates);
            case RedisStreamSpec redis -> RedisSpecRequests.parse(redis, templates);
            // What the jobs of a workflow need is checked with its graph.
            case WorkflowSpec _ -> {}
            case ApprovalSpec approval -> ApprovalSpecRequests.parse(approval, templates);
            case EndpointSpec.Worker _ -> {}
        }
        return templates;
    }

    private static void checkSelf(String name, EndpointSpec spec) {
        if (spec instanceof ApprovalSpec approval && approval.announce().equals(name)) {
            throw ApiException.at(ErrorCode.INVALID_REQUEST, "/spec/announce", "must name another endpoint");
        }
        if (spec instanceof WorkflowSpec workflow
                && workflow.jobs().values().stream()
                        .anyMatch(job -> job.endpoint().equals(name))) {
            throw new ApiException(ErrorCode.WORKFLOW_CYCLE, "The workflow '%s' runs itself.".formatted(name));
        }
    }

    private static void checkConfig(Set<Reference> references, boolean hasConfig) {
        if (!hasConfig && references.stream().anyMatch(r -> r.namespace() == Namespace.CONFIG)) {
            throw new ApiException(
                    ErrorCode.TEMPLATE_RESOLUTION_FAILED, "The spec uses {{config.*}}, but names no 'config'.");
        }
    }
}
