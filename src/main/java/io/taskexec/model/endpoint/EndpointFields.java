package io.taskexec.model.endpoint;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.FieldDefinition.required;
import static io.taskexec.model.ValueType.JSON_OBJECT;
import static io.taskexec.model.ValueType.NAME;
import static io.taskexec.model.ValueType.SECRET_NAME;
import static io.taskexec.model.ValueType.duration;
import static io.taskexec.model.ValueType.text;
import static io.taskexec.model.ValueType.words;

import io.taskexec.model.FieldDefinition;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType.ListOf;
import io.taskexec.model.ValueType.MapOf;
import io.taskexec.model.ValueType.Order;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.ValueType.Text;
import io.taskexec.model.ValueType.Whole;
import io.taskexec.model.ValueType.Words;
import io.taskexec.model.flow.FlowPolicy;
import io.taskexec.model.flow.RateLimit;
import io.taskexec.model.queue.Queue;
import io.taskexec.model.wait.CompletionFields;
import io.taskexec.model.wait.OnTimeout;
import java.time.Duration;

/** Defines the fields of requests for endpoints and for what they refer to. */
public final class EndpointFields {
    /** The longest template of a URL, a list of servers or a name. */
    private static final Text TEMPLATE = text(4096);

    /** The longest chain of certificates or private key. */
    private static final Text PEM = text(65_536);

    private static final MapOf HEADERS = new MapOf(Plain.TEXT, HeaderRules.MAX_COUNT);
    private static final Whole TIMEOUT = new Whole(1, 3_600_000);
    private static final Whole DELAY = new Whole(0, 7 * 24 * 3_600_000);
    private static final String A_TEMPLATE = "A template.";
    private static final String A_TREE = "Any JSON; its strings are templates.";

    public static final ObjectDefinition NEW_PAYLOAD_SPEC = ObjectDefinition.of(
            "NewPayloadSpec",
            required("name", NAME),
            required("schema", JSON_OBJECT).says("A JSON Schema of draft 4, 6 or 7."));

    public static final ObjectDefinition NEW_CONFIG =
            ObjectDefinition.of("NewConfig", required("name", NAME), required("values", JSON_OBJECT));

    public static final ObjectDefinition NEW_SECRET =
            ObjectDefinition.of("NewSecret", required("name", SECRET_NAME), required("value", text(16_384)));

    /** The member of a spec that makes deliveries CloudEvents; {@code true} may stand for it. */
    public static final ObjectDefinition CLOUD_EVENTS = ObjectDefinition.of("CloudEvents", optional("type", text(255)));

    private static final FieldDefinition CLOUD_EVENTS_FIELD = optional("cloud_events", Plain.ANY)
            .says("true, or an object with a 'type': deliveries are CloudEvents 1.0, the type by default "
                    + IdentitySpec.DEFAULT_EVENT_TYPE + ".");

    private static final FieldDefinition SIGNING = optional(
            "signing",
            ObjectDefinition.of(
                    "Signing",
                    required("secrets", new ListOf(SECRET_NAME, 1, IdentitySpec.MAX_SECRETS, Order.SEQUENCE))
                            .says("Names of secrets that sign as Standard Webhooks has it; two while they are"
                                    + " exchanged.")));

    private static final ObjectDefinition TLS = ObjectDefinition.of(
            "TlsIdentity",
            optional("client_certificate", PEM).says("A template of PEM; needs client_key."),
            optional("client_key", PEM).says("A template of PEM; needs client_certificate."),
            optional("ca_certificates", PEM).says("A template of PEM."));

    private static final ObjectDefinition OAUTH2 = ObjectDefinition.of(
            "ClientCredentials",
            required("token_url", TEMPLATE).says(A_TEMPLATE),
            required("client_id", TEMPLATE).says(A_TEMPLATE),
            required("client_secret", TEMPLATE).says(A_TEMPLATE),
            optional("scope", TEMPLATE).says(A_TEMPLATE),
            optional("audience", TEMPLATE).says(A_TEMPLATE),
            optional("auth", words(null, ClientCredentials.Auth.values())).or(ClientCredentials.Auth.BASIC));

    private static final ObjectDefinition HTTP = ObjectDefinition.of(
            "HttpSpec",
            required("url", TEMPLATE).says(A_TEMPLATE),
            required("method", words("HttpMethod", HttpSpec.Method.values())),
            optional("headers", HEADERS).or("{}").says("Names to templates."),
            optional("body_template", Plain.ANY).says(A_TREE),
            timeout(HttpSpec.DEFAULT_TIMEOUT),
            optional("expected_status_codes", new ListOf(new Whole(200, 599), 0, 64, Order.BAG))
                    .or(HttpSpec.DEFAULT_EXPECTED.toString())
                    .says("200 to 599; default, also for an empty list, 200, 201, 202, 204."),
            SIGNING,
            CLOUD_EVENTS_FIELD,
            optional("tls", TLS),
            optional("oauth2", OAUTH2));

    private static final ObjectDefinition SECURITY = ObjectDefinition.of(
            "KafkaSecurity",
            required("protocol", words(null, KafkaSecurity.Protocol.values())),
            optional("mechanism", new Words(KafkaSecurity.MECHANISMS, null)).says("Required with SASL."),
            optional("username", TEMPLATE).says("A template; required with SASL."),
            optional("password", TEMPLATE).says("A template with a secret; required with SASL."),
            optional("ca_certificates", PEM).says("A template of PEM."),
            optional("client_certificate", PEM).says("A template of PEM."),
            optional("client_key", PEM).says("A template of PEM, with a secret; PKCS #8 without a password."));

    private static final ObjectDefinition KAFKA = ObjectDefinition.of(
            "KafkaSpec",
            required("bootstrap_servers", TEMPLATE).says("A template of host:port,host:port."),
            required("topic", TEMPLATE).says(A_TEMPLATE),
            optional("key_template", TEMPLATE).says(A_TEMPLATE),
            optional("value_template", Plain.ANY).says(A_TREE),
            optional("headers", HEADERS).or("{}").says("Names to templates."),
            optional("acks", new Words(KafkaSpec.ACKS, null)).or("\"" + KafkaSpec.DEFAULT_ACKS + "\""),
            optional("security", SECURITY),
            timeout(KafkaSpec.DEFAULT_TIMEOUT),
            SIGNING,
            CLOUD_EVENTS_FIELD);

    private static final ObjectDefinition REDIS_STREAM = ObjectDefinition.of(
            "RedisStreamSpec",
            required("redis_url", TEMPLATE).says("A template of a redis:// or rediss:// URL."),
            required("stream", TEMPLATE).says(A_TEMPLATE),
            required("fields_template", JSON_OBJECT).says("Names to any JSON but null; its strings are templates."),
            optional("max_len", Plain.ANY).says("A positive whole number, or a template of one."),
            optional("approximate_trimming", Plain.FLAG).or("true"),
            timeout(RedisStreamSpec.DEFAULT_TIMEOUT),
            SIGNING,
            CLOUD_EVENTS_FIELD);

    private static final ObjectDefinition APPROVAL = ObjectDefinition.of(
            "ApprovalSpec",
            required("title", text(512)).says("A template: the question, in one line."),
            optional("details", text(16_384)).says("A template: what a person needs to know to decide."),
            required("announce", NAME).says("The endpoint that tells people of it; its input has the address."),
            optional("timeout", duration())
                    .or("\"" + ApprovalSpec.DEFAULT_TIMEOUT + "\"")
                    .says("After it 'on_timeout' decides; from PT1S to P366D."),
            optional("remind_every", duration()).says("The time between two announcements, from PT1M."),
            optional("on_timeout", words("OnTimeout", OnTimeout.values())).or(OnTimeout.FAIL));

    private static final ObjectDefinition WORKER = ObjectDefinition.of(
            "WorkerSpec",
            optional("timeout_ms", new Whole(1, Math.toIntExact(EndpointSpec.Worker.LONGEST_TIMEOUT.toMillis())))
                    .says("The longest that an attempt may take, with all extensions of its lease; default: without"
                            + " a bound."));

    /** The default of {@code max_delay_ms} depends on {@code initial_delay_ms}. */
    private static final ListOf FAILURES = new ListOf(Plain.ANY, 0, RetryRules.MOST_WORDS, Order.BAG);

    /** Failures that are retried, although they would be permanent. */
    public static final FieldDefinition RETRY_ON = optional("retry_on", FAILURES)
            .or("[]")
            .says("Failures to retry that would be permanent: statuses (404), classes (4xx) or types (HTTP_ERROR).");

    /** Failures that are not retried. */
    public static final FieldDefinition NO_RETRY_ON =
            optional("no_retry_on", FAILURES).or("[]").says("Failures not to retry, in the same words; goes first.");

    /** The time that a call may take, in milliseconds. */
    public static final Whole CALL_TIMEOUT = TIMEOUT;

    private static final ObjectDefinition RETRY_POLICY = ObjectDefinition.of(
            "RetryPolicy",
            optional("max_attempts", new Whole(1, 1000)).or("" + RetryPolicy.DEFAULT.maxAttempts()),
            optional("backoff", words(null, RetryPolicy.Backoff.values())).or(RetryPolicy.DEFAULT.backoff()),
            optional("initial_delay_ms", DELAY)
                    .or("" + RetryPolicy.DEFAULT.initialDelay().toMillis()),
            optional("max_delay_ms", DELAY),
            RETRY_ON,
            NO_RETRY_ON);

    /** The target of a job: what an HTTP endpoint can have without a registration. */
    public static final ObjectDefinition TARGET = HTTP.named("Target")
            .without("signing", "tls", "oauth2")
            .with(
                    HTTP.field("url").says("A template; it uses no secret and no config, as all templates here."),
                    HTTP.field("method").or(HttpSpec.Method.POST),
                    HTTP.field("body_template")
                            .says(A_TREE + " Default for POST, PUT and PATCH: the input, if there is one."),
                    optional("retry_policy", RETRY_POLICY).or("{}"));

    /** Of a merge patch, in which what is left out stays. */
    public static final ObjectDefinition TARGET_PATCH =
            TARGET.named("TargetPatch").with(TARGET.field("url").optional());

    static final ObjectDefinition RATE = ObjectDefinition.of(
            "RateLimit",
            required("limit", new Whole(1, RateLimit.MAX)).says("Executions that begin per period."),
            required("per", duration()).says("The period, from PT0.001S to PT720H, such as PT1M."),
            optional("burst", new Whole(1, RateLimit.MAX))
                    .or("1")
                    .says("How many may begin at once after a quiet time."));

    private static final ObjectDefinition FLOW = ObjectDefinition.of(
            "Flow",
            optional("key", text(FlowPolicy.MAX_TEMPLATE))
                    .says("A template with values of the input: each of its texts has limits of its own. Without it"
                            + " all executions of the endpoint share them."),
            optional("max_concurrency", new Whole(1, FlowPolicy.MAX_CONCURRENCY))
                    .says("Executions of a key that run at once, over all workers."),
            optional("rate", RATE),
            optional("order", words(null, FlowPolicy.Order.values()))
                    .or(FlowPolicy.Order.ANY)
                    .says("fifo: the executions of a key run one after the other, in the order of their run times."),
            optional("fair", Plain.FLAG)
                    .or("false")
                    .says("Whether a key with many executions lets those of other keys go in between."));

    /** The {@code spec} is of any type here; {@link #spec} defines it. */
    public static final ObjectDefinition NEW_ENDPOINT = ObjectDefinition.of(
            "NewEndpoint",
            required("name", NAME),
            required("type", words("EndpointType", EndpointType.values())),
            optional("payload_spec", NAME),
            optional("config", NAME),
            optional("queue", NAME).or("\"" + Queue.DEFAULT.name() + "\"").says("Where its jobs wait."),
            required("spec", Plain.ANY),
            optional("flow", FLOW).says("Limits of its executions."),
            optional("completion", CompletionFields.COMPLETION)
                    .says("Lets receivers take a delivery and say later how it ends."),
            optional("retry_policy", RETRY_POLICY).or("{}"),
            optional("on_success", NAME).says("The endpoint that gets the outputs of its executions."),
            optional("on_failure", NAME).says("The endpoint that gets the errors of its executions."),
            optional("on_worker_lost", words("OnWorkerLost", OnWorkerLost.values()))
                    .or(OnWorkerLost.RETRY)
                    .says("Whether an execution is delivered again when its worker was lost, or fails."),
            optional("preemptible", Plain.FLAG)
                    .or("false")
                    .says("Whether its running executions give up their slots to waiting ones of priority 0."));

    private EndpointFields() {}

    /** The definition of the spec of an endpoint. */
    public static ObjectDefinition spec(EndpointType type) {
        return switch (type) {
            case HTTP -> HTTP;
            case KAFKA -> KAFKA;
            case REDIS_STREAM -> REDIS_STREAM;
            case WORKFLOW -> WorkflowFields.SPEC;
            case APPROVAL -> APPROVAL;
            case WORKER -> WORKER;
        };
    }

    private static FieldDefinition timeout(Duration fallback) {
        return optional("timeout_ms", TIMEOUT).or("" + fallback.toMillis());
    }
}
