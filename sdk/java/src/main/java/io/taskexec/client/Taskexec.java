package io.taskexec.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.client.api.Approvals;
import io.taskexec.client.api.Endpoints;
import io.taskexec.client.api.Events;
import io.taskexec.client.api.Executions;
import io.taskexec.client.api.Jobs;
import io.taskexec.client.api.Keys;
import io.taskexec.client.api.Leases;
import io.taskexec.client.api.Operations;
import io.taskexec.client.api.PressureSignals;
import io.taskexec.client.api.Queues;
import io.taskexec.client.api.Resources;
import io.taskexec.client.api.VirtualClock;
import io.taskexec.client.api.Workflows;
import io.taskexec.client.model.AuditEntry;
import io.taskexec.client.model.CallbackResult;
import io.taskexec.client.model.Config;
import io.taskexec.client.model.PayloadSpec;
import io.taskexec.client.model.Secret;
import io.taskexec.client.model.WorkflowDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The client of a taskexec. It is safe for many threads, holds few connections, and need not be closed.
 *
 * <pre>{@code
 * var client = Taskexec.connect("http://127.0.0.1:8080", key);
 * client.task(new Resize("photo.jpg", "small")).key("photo-7").delay(Duration.ofMinutes(5)).schedule();
 * }</pre>
 */
public final class Taskexec {
    private final Http http;
    private final ObjectMapper data;

    private Taskexec(Http http, ObjectMapper data) {
        this.http = http;
        this.data = data;
    }

    /**
     * Makes a client. Nothing is sent.
     *
     * @param url of the API
     * @param key the API key
     * @return the client
     */
    public static Taskexec connect(String url, String key) {
        return builder().servers(url).key(key).build();
    }

    /**
     * Begins a client with other settings.
     *
     * @return its builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** The settings of a client. */
    public static final class Builder {
        private List<String> servers = List.of();
        private @Nullable String key;
        private Duration patience = Duration.ofSeconds(30);
        private ObjectMapper mapper = Json.data();

        private Builder() {}

        /**
         * Sets the addresses of the API. When one fails, the next one is used.
         *
         * @param urls one or more
         * @return this
         */
        public Builder servers(String... urls) {
            servers = List.of(urls);
            return this;
        }

        /**
         * Sets the API key.
         *
         * @param value the key
         * @return this
         */
        public Builder key(String value) {
            key = value;
            return this;
        }

        /**
         * Sets how long a request is repeated when the server is busy or away.
         *
         * @param time 30 seconds by default; requests that wait at the server have so much more, unless it is zero
         * @return this
         */
        public Builder patience(Duration time) {
            patience = time;
            return this;
        }

        /**
         * Sets how inputs and the results of handlers become JSON, and how handlers read their tasks. {@link
         * Json#times()} is the module for instants and durations. {@code result(type)} of an execution reads with
         * {@link Json#data()}; give it {@link Taskexec#mapper()} as well where that matters.
         *
         * @param value a mapper that is not changed any more
         * @return this
         */
        public Builder mapper(ObjectMapper value) {
            mapper = value;
            return this;
        }

        /**
         * Makes the client.
         *
         * @return the client
         */
        public Taskexec build() {
            if (key == null || key.isBlank()) {
                throw new IllegalArgumentException("There must be an API key.");
            }
            return new Taskexec(Http.connect(servers, key.strip(), patience), mapper);
        }
    }

    /**
     * Begins a job of a typed task.
     *
     * @param task becomes the input
     * @return the job; {@link JobBuilder#schedule()} creates it
     */
    public JobBuilder task(Task task) {
        return job(Task.nameOf(task.getClass())).input(task);
    }

    /**
     * Begins a job of any endpoint.
     *
     * @param endpoint its name
     * @return the job
     */
    public JobBuilder job(String endpoint) {
        return new JobBuilder(this, data).set("endpoint", endpoint);
    }

    /**
     * Begins a job that calls an address.
     *
     * @param url the address
     * @return the job
     */
    public JobBuilder target(String url) {
        return new JobBuilder(this, data).set("target", Map.of("url", url));
    }

    /**
     * Begins a graph of jobs.
     *
     * @param name for people and lists
     * @return the graph; {@link WorkflowBuilder#start()} creates it
     */
    public WorkflowBuilder workflow(String name) {
        return new WorkflowBuilder(this, data).set("name", name);
    }

    /**
     * Returns a client whose writes are tried and rolled back.
     *
     * @return a new client on the same connections
     */
    public Taskexec dryRun() {
        return new Taskexec(http.onWrites(Query.where("dry_run", true)), data);
    }

    /**
     * Returns a client that writes only what has this tag; others are refused with {@code PRECONDITION_FAILED}.
     *
     * @param tag of {@link Resources#tag}
     * @return a new client on the same connections
     */
    public Taskexec ifMatch(String tag) {
        return new Taskexec(http.withHeader("If-Match", tag), data);
    }

    /**
     * Returns a client whose jobs belong to a trace.
     *
     * @param traceparent as W3C Trace Context has it
     * @return a new client on the same connections
     */
    public Taskexec traced(String traceparent) {
        return new Taskexec(http.withHeader("traceparent", traceparent), data);
    }

    /**
     * Returns what sends the requests.
     *
     * @return for requests that this client has no method for
     */
    public Http http() {
        return http;
    }

    /**
     * Returns the mapper of inputs, tasks and the results of handlers.
     *
     * @return as it was set
     */
    public ObjectMapper mapper() {
        return data;
    }

    /**
     * Returns jobs, schedules and timers.
     *
     * @return their routes
     */
    public Jobs jobs() {
        return new Jobs(http);
    }

    /**
     * Returns executions.
     *
     * @return their routes
     */
    public Executions executions() {
        return new Executions(http);
    }

    /**
     * Returns runs of graphs.
     *
     * @return their routes
     */
    public Workflows workflows() {
        return new Workflows(http, data);
    }

    /**
     * Returns named graphs.
     *
     * @return their routes
     */
    public Resources<WorkflowDefinition> workflowDefinitions() {
        return new Resources<>(http, "workflow-definitions", WorkflowDefinition.class);
    }

    /**
     * Returns endpoints.
     *
     * @return their routes
     */
    public Endpoints endpoints() {
        return new Endpoints(http);
    }

    /**
     * Returns queues.
     *
     * @return their routes
     */
    public Queues queues() {
        return new Queues(http);
    }

    /**
     * Returns values for templates.
     *
     * @return their routes
     */
    public Resources<Config> configs() {
        return new Resources<>(http, "configs", Config.class);
    }

    /**
     * Returns secrets.
     *
     * @return their routes
     */
    public Resources<Secret> secrets() {
        return new Resources<>(http, "secrets", Secret.class);
    }

    /**
     * Returns JSON Schemas of inputs.
     *
     * @return their routes
     */
    public Resources<PayloadSpec> payloadSpecs() {
        return new Resources<>(http, "payload-specs", PayloadSpec.class);
    }

    /**
     * Returns questions to people.
     *
     * @return their routes
     */
    public Approvals approvals() {
        return new Approvals(http);
    }

    /**
     * Returns API keys.
     *
     * @return their routes
     */
    public Keys keys() {
        return new Keys(http);
    }

    /**
     * Returns bulk operations.
     *
     * @return their routes
     */
    public Operations operations() {
        return new Operations(http);
    }

    /**
     * Returns signals of pressure.
     *
     * @return their routes
     */
    public PressureSignals pressure() {
        return new PressureSignals(http);
    }

    /**
     * Returns events as they happen.
     *
     * @return their routes
     */
    public Events events() {
        return new Events(http);
    }

    /**
     * Returns the leases of workers.
     *
     * @return their routes
     */
    public Leases leases() {
        return new Leases(http);
    }

    /**
     * Returns the clock of a server with a virtual one.
     *
     * @return their routes
     */
    public VirtualClock clock() {
        return new VirtualClock(http);
    }
    /**
     * Reads the state of everything, at most half a second old.
     *
     * @return totals, queues, workers, endpoints, breakers and signals
     */
    public JsonNode overview() {
        return http.send(Request.get("overview"), JsonNode.class);
    }

    /**
     * Reads the starts that are to be expected.
     *
     * @param query {@code hours}, {@code endpoint} and {@code limit}
     * @return the forecast
     */
    public JsonNode forecast(Query query) {
        return http.send(Request.get("forecast").with(query), JsonNode.class);
    }

    /**
     * Lists writes, and who made them.
     *
     * @param query {@code actor} and {@code kind}
     * @return the list
     */
    public Listing<AuditEntry> audit(Query query) {
        return http.list(Request.get("audit").with(query), AuditEntry.class);
    }

    /**
     * Says how a deferred delivery is, by the token at the end of its {@code Taskexec-Callback-Url}. Any HTTP client
     * can do so without an API key.
     *
     * @param token the last part of the address
     * @param callback what to say
     * @return what is recorded
     */
    public CallbackResult callBack(String token, CallbackRequest callback) {
        return http.send(Request.post("callbacks", token).body(callback), CallbackResult.class);
    }
}
