package io.taskexec.cli.apply;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.FieldDefinition.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.ValueType.Text;
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.QueueFields;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.endpoint.WorkflowFields;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.SchedulePolicy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The kinds of resources that can be applied, in the order of their dependencies. */
enum ResourceKind {
    PAYLOAD_SPEC("PayloadSpec", "/payload-specs", ValueType.NAME),
    SECRET("Secret", "/secrets", ValueType.SECRET_NAME),
    CONFIG("Config", "/configs", ValueType.NAME),
    QUEUE("Queue", "/queues", ValueType.NAME),
    ENDPOINT("Endpoint", "/endpoints", ValueType.NAME),
    /** The same as an endpoint of the type WORKFLOW, so that the two share their names. */
    WORKFLOW_DEFINITION("WorkflowDefinition", "/workflow-definitions", ValueType.NAME),
    /** The name is shorter, because it becomes part of a tag. */
    JOB("Job", "/jobs", Types.JOB_NAME);

    private final String word;
    private final String path;
    private final Text names;

    private static final class Types {
        static final Text JOB_NAME = Text.like(50, "[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?");

        static final ObjectDefinition PAYLOAD_SPEC = EndpointFields.NEW_PAYLOAD_SPEC.without("name");

        static final ObjectDefinition CONFIG = EndpointFields.NEW_CONFIG.without("name");

        static final ObjectDefinition QUEUE = QueueFields.NEW_QUEUE.without("name");

        /** Exactly one of the three is required. */
        static final ObjectDefinition SECRET = EndpointFields.NEW_SECRET
                .without("name")
                .with(
                        EndpointFields.NEW_SECRET.field("value").optional(),
                        optional("value_env", Plain.TEXT),
                        optional("value_file", Plain.TEXT));

        /** An idempotency key is for one request, and files can have the endpoint. */
        static final ObjectDefinition JOB = JobFields.NEW_JOB
                .without(
                        "target",
                        "idempotency_key",
                        "run_at",
                        "delay",
                        "expires_at",
                        "deadline",
                        "depends_on",
                        "trigger_rule",
                        "when",
                        "ref")
                .with(required("endpoint", ValueType.NAME));
    }

    ResourceKind(String word, String path, Text names) {
        this.word = word;
        this.path = path;
        this.names = names;
    }

    String word() {
        return word;
    }

    String path() {
        return path;
    }

    boolean allowsName(String name) {
        return names.matches(name);
    }

    /** Returns the kind of a name, ignoring case, hyphens and underscores; null for an unknown one. */
    static @Nullable ResourceKind of(String text) {
        for (var kind : values()) {
            if (kind.word.equalsIgnoreCase(text.replaceAll("[-_]", ""))) {
                return kind;
            }
        }
        return null;
    }

    /** Returns the definition of the fields. */
    ObjectDefinition definition(JsonNode fields) {
        return switch (this) {
            case PAYLOAD_SPEC -> Types.PAYLOAD_SPEC;
            case SECRET -> Types.SECRET;
            case CONFIG -> Types.CONFIG;
            case QUEUE -> Types.QUEUE;
            case ENDPOINT -> endpoint(fields.path("type").asText());
            case WORKFLOW_DEFINITION -> WorkflowFields.DEFINITION;
            case JOB -> Types.JOB;
        };
    }

    private static ObjectDefinition endpoint(String type) {
        var fields = EndpointFields.NEW_ENDPOINT.without("name");
        return Arrays.stream(EndpointType.values())
                .filter(known -> known.name().equals(type))
                .findFirst()
                .map(known -> fields.with(required("spec", EndpointFields.spec(known))))
                .orElse(fields);
    }

    /** Returns the normal form of fields from a file or from the API, for comparison. */
    ObjectNode normal(JsonNode fields) {
        var given = this == WORKFLOW_DEFINITION ? flat(fields) : fields;
        var normal = (ObjectNode) NormalForm.of(given, definition(given));
        switch (this) {
            case PAYLOAD_SPEC, SECRET, CONFIG, QUEUE -> {}
            case ENDPOINT -> {
                fillDelay((ObjectNode) normal.path("retry_policy"));
                if (EndpointType.WORKER.name().equals(normal.path("type").asText())) {
                    // It follows from the name.
                    normal.remove("queue");
                }
                if (normal.get("spec") instanceof ObjectNode spec) {
                    simplifyEvents(spec);
                    simplifyJobs(spec);
                }
            }
            case WORKFLOW_DEFINITION -> simplifyJobs(normal);
            case JOB -> fillSchedule(normal);
        }
        return normal;
    }

    /** The API shows the graph of a definition as the spec of an endpoint, and takes it without one. */
    private static JsonNode flat(JsonNode definition) {
        return definition instanceof ObjectNode fields && fields.get("spec") instanceof ObjectNode spec
                ? fields.deepCopy().setAll(spec)
                : definition;
    }

    private static void simplifyJobs(ObjectNode graph) {
        for (var job : graph.path("jobs")) {
            if (job instanceof ObjectNode fields
                    && fields.path("delay").asText().equals("PT0S")) {
                fields.remove("delay");
            }
        }
    }

    /** Returns whether a resource is created as it is replaced, by a request to its own path. */
    boolean isPut() {
        return this == WORKFLOW_DEFINITION;
    }

    /** Returns whether jobs and callbacks can name resources of this kind. */
    boolean isEndpoint() {
        return this == ENDPOINT || this == WORKFLOW_DEFINITION;
    }

    private static void fillDelay(ObjectNode policy) {
        if (!policy.has("max_delay_ms")) {
            policy.put(
                    "max_delay_ms",
                    Math.max(
                            RetryPolicy.DEFAULT.maxDelay().toMillis(),
                            policy.path("initial_delay_ms").asLong()));
        }
    }

    private static void simplifyEvents(ObjectNode spec) {
        var events = spec.path("cloud_events");
        if (events.isBoolean() && !events.booleanValue()) {
            spec.remove("cloud_events");
        } else if (events.path("type").asText().equals(IdentitySpec.DEFAULT_EVENT_TYPE)) {
            spec.put("cloud_events", true);
        }
    }

    private static void fillSchedule(ObjectNode job) {
        if (job.get("catch_up") instanceof ObjectNode catchUp
                && catchUp.path("mode").asText().equals("ALL")
                && !catchUp.has("max")) {
            catchUp.put("max", SchedulePolicy.CatchUp.DEFAULT_MAX);
        }
        if (job.path("jitter").asText().equals("PT0S")) {
            job.remove("jitter");
        }
        if (job.has("cron") && !job.has("dst")) {
            job.putObject("dst").put("gap", "SHIFT").put("overlap", "FIRST");
        }
    }
}
