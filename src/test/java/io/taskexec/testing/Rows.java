package io.taskexec.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.model.Uuid7;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.store.sql.Lanes;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Puts any row in any state into a database, so that tests of time need no waiting. Single quotes stand for double
 * ones.
 */
public final class Rows {
    /** The endpoint that executions are for unless told otherwise. */
    public static final String ENDPOINT = "welcome";

    private final TestDb db;

    public Rows(TestDb db) {
        this.db = db;
    }

    /** JSON with single quotes for double ones. */
    public static JsonNode json(String text) {
        try {
            return Json.parse(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    /** An id as if it had been made {@code ago}. */
    public static UUID idFrom(Duration ago) {
        var floor = Uuid7.floor(Instant.now().minus(ago));
        var random = ThreadLocalRandom.current();
        return new UUID(
                floor.getMostSignificantBits() | random.nextInt(1 << 12),
                floor.getLeastSignificantBits() | random.nextLong() >>> 2);
    }

    /** Removes all jobs and what became of them. */
    public void clearJobs() {
        for (var table : new String[] {
            "exec_live",
            "executions",
            "attempts",
            "execution_logs",
            "jobs",
            "job_tags",
            "idempotency_keys",
            "workers",
            "flow_limits",
            "flow_requests",
            "job_edges",
            "ended_parents"
        }) {
            db.execute("DELETE FROM " + table);
        }
    }

    /** Makes an idempotency key as old as this. */
    public void ageKey(String key, Duration age) {
        db.execute(
                "UPDATE idempotency_keys SET created_at = now() - $2::bigint * interval '1 millisecond'"
                        + " WHERE idempotency_key = $1",
                key,
                age.toMillis());
    }

    /** A config with these versions, the last one current. */
    public void config(String name, String... versions) {
        for (var i = 1; i <= versions.length; i++) {
            db.execute(
                    "INSERT INTO config_versions VALUES ($1, $2, $3::text::json, now())",
                    name,
                    i,
                    Json.write(json(versions[i - 1])));
        }
        db.execute("INSERT INTO configs VALUES ($1, $2, now(), now())", name, versions.length);
    }

    /** A payload spec at a version, which allows everything. */
    public void payloadSpec(String name, int version) {
        db.execute("INSERT INTO payload_specs VALUES ($1, $2, '{}', now(), now())", name, version);
    }

    /** The limits of an endpoint's flow keys, by a list of columns and values. */
    public void flowPolicy(String endpoint, String columns, String values) {
        db.execute(
                "INSERT INTO flow_policies (endpoint, own_flow_id, %s) VALUES ($1, $2, %s)".formatted(columns, values),
                endpoint,
                FlowKey.of(endpoint, "").id());
    }

    /** A worker that was last heard of this long ago. */
    public UUID worker(Duration silence) {
        var id = Uuid7.next();
        db.execute(
                "INSERT INTO workers (worker_id, host, started_at, last_seen_at) "
                        + "VALUES ($1, 'test', now() - interval '1 day', now() - $2::bigint * interval '1"
                        + " millisecond')",
                id,
                silence.toMillis());
        return id;
    }

    public Endpoint endpoint(String name) {
        return new Endpoint(name);
    }

    /** An execution that is not finished; QUEUED unless told otherwise. */
    public Live live() {
        return new Live();
    }

    /** A finished execution with its job; SUCCESS a minute ago unless told otherwise. */
    public Finished finished() {
        return new Finished();
    }

    /** An endpoint and the versions of it up to the current one. */
    public final class Endpoint {
        private final String name;
        private int version = 1;
        private String url = "http://127.0.0.1:9/";
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable JsonNode body;
        private @Nullable String config;
        private @Nullable String payloadSpec;
        private Set<String> secrets = Set.of();
        private RetryPolicy retryPolicy = RetryPolicy.DEFAULT;
        private @Nullable String onSuccess;
        private @Nullable String onFailure;
        private OnWorkerLost onWorkerLost = OnWorkerLost.RETRY;

        private Endpoint(String name) {
            this.name = name;
        }

        public Endpoint version(int current) {
            version = current;
            return this;
        }

        public Endpoint url(String template) {
            url = template;
            return this;
        }

        public Endpoint header(String header, String template) {
            headers.put(header, template);
            return this;
        }

        public Endpoint body(String template) {
            body = json(template);
            return this;
        }

        public Endpoint config(String ref) {
            config = ref;
            return this;
        }

        public Endpoint payloadSpec(String ref) {
            payloadSpec = ref;
            return this;
        }

        public Endpoint secrets(String... names) {
            secrets = Set.of(names);
            return this;
        }

        public Endpoint reportsTo(@Nullable String success, @Nullable String failure) {
            onSuccess = success;
            onFailure = failure;
            return this;
        }

        public Endpoint onWorkerLost(OnWorkerLost policy) {
            onWorkerLost = policy;
            return this;
        }

        public Endpoint attempts(int max, Duration delay) {
            retryPolicy = new RetryPolicy(max, RetryPolicy.Backoff.FIXED, delay, delay);
            return this;
        }

        public void insert() {
            var spec = new HttpSpec(
                    url, "POST", headers, body, Duration.ofSeconds(10), HttpSpec.DEFAULT_EXPECTED, IdentitySpec.NONE);
            for (var i = 1; i <= version; i++) {
                db.execute(
                        "INSERT INTO endpoint_versions "
                                + "VALUES ($1, $2, 'HTTP', $3, $4, $5::text::json, $6::text::json, '{}', now())",
                        name,
                        i,
                        payloadSpec,
                        config,
                        Json.write(spec.toJson()),
                        Json.write(retryPolicy.toJson()));
            }
            db.execute(
                    "INSERT INTO endpoints VALUES ($1, $2, $3, $4, now(), now())", name, version, payloadSpec, config);
            db.execute(
                    "UPDATE endpoint_versions SET on_success = $2::text, on_failure = $3::text, on_worker_lost ="
                            + " $4::text"
                            + " WHERE name = $1",
                    name,
                    onSuccess,
                    onFailure,
                    onWorkerLost.word());
            secrets.forEach(secret -> db.execute("INSERT INTO endpoint_secrets VALUES ($1, $2)", name, secret));
        }
    }

    private void insertJob(UUID id, String endpoint, int lane, @Nullable String key, @Nullable String input) {
        db.execute(
                "INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, idempotency_key, input,"
                        + " created_at)"
                        + " VALUES ($1, $2, 1, 'IMMEDIATE', $3, $4, $5::text::json, now())",
                id,
                endpoint,
                lane,
                key,
                input == null ? null : Json.write(json(input)));
        if (key != null) {
            db.execute(
                    "INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, now())",
                    endpoint,
                    key,
                    id,
                    UUID.randomUUID());
        }
    }

    /** A job and its row of exec_live. */
    public final class Live {
        private UUID id = Uuid7.next();
        private String endpoint = ENDPOINT;
        private int lane = 4;
        private @Nullable String key;
        private @Nullable String input;
        private Duration visibleIn = Duration.ofMillis(-1);
        private int attempt;
        private int failures;
        private int rescues;
        private @Nullable Long token;
        private @Nullable UUID worker;
        private @Nullable FlowKey flow;
        private int flowState;

        private Live() {}

        /** With a flow key, so in the keyed lane beside its lane, and free. */
        public Live flow(String flowKey) {
            flow = FlowKey.of(endpoint, flowKey);
            return this;
        }

        /** With a flow key and parked in its line. */
        public Live parked(String flowKey) {
            flowState = 1;
            return flow(flowKey);
        }

        public Live id(UUID chosen) {
            id = chosen;
            return this;
        }

        public Live endpoint(String name) {
            endpoint = name;
            return this;
        }

        public Live lane(int number) {
            lane = number;
            return this;
        }

        public Live key(String idempotencyKey) {
            key = idempotencyKey;
            return this;
        }

        public Live input(String tree) {
            input = tree;
            return this;
        }

        public Live rescues(int count) {
            rescues = count;
            return this;
        }

        /** Attempts that failed so far. */
        public Live failures(int count) {
            failures = count;
            attempt = Math.max(attempt, count);
            return this;
        }

        public Live attempt(int number) {
            attempt = number;
            return this;
        }

        /** PENDING: becomes due later. */
        public Live dueIn(Duration time) {
            visibleIn = time;
            return this;
        }

        /** QUEUED: has been due for a while. */
        public Live dueSince(Duration time) {
            visibleIn = time.negated();
            return this;
        }

        /** RUNNING, or lost when {@code left} is negative. */
        public Live leased(UUID by, Duration left) {
            token = ThreadLocalRandom.current().nextLong();
            worker = by;
            visibleIn = left;
            attempt = Math.max(attempt, 1);
            return this;
        }

        public UUID insert() {
            insertJob(id, endpoint, lane, key, input);
            insertExecution();
            if (flow != null) {
                place(flow);
            }
            return id;
        }

        private void place(FlowKey in) {
            db.execute(
                    "INSERT INTO flow_limits (flow_id, endpoint, flow_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                    in.id(),
                    endpoint,
                    in.key());
            db.execute("""
                    UPDATE exec_live SET lane = $2, flow_id = $3, flow_line = $4::int, flow_state = $5,
                      visible_at = CASE WHEN $5 = 1 THEN 'infinity' ELSE visible_at END
                    WHERE execution_id = $1
                    """, id, Lanes.keyed(lane), in.id(), Lanes.priority(lane), flowState);
            db.execute("UPDATE jobs SET flow_id = $2, flow_key = $3 WHERE job_id = $1", id, in.id(), in.key());
        }

        private void insertExecution() {
            db.execute(
                    "INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at, attempt,"
                            + " failures, rescues, lease_token, worker_id, started_at) VALUES ($1, $1, $2,"
                            + " now() + $3::bigint * interval '1 millisecond',"
                            + " now() + $3::bigint * interval '1 millisecond', now(), $4, $5, $6, $7, $8,"
                            + " CASE WHEN $7::bigint IS NOT NULL THEN now() - interval '1 second' END)",
                    id,
                    lane,
                    visibleIn.toMillis(),
                    attempt,
                    failures,
                    rescues,
                    token,
                    worker);
        }
    }

    /** A job and its row of executions, with rows of attempts for all but the last one. */
    public final class Finished {
        private @Nullable UUID id;
        private Duration endedAgo = Duration.ofMinutes(1);
        private @Nullable Duration createdAgo;
        private String status = "SUCCESS";
        private int attempts = 1;
        private @Nullable String key;

        private Finished() {}

        public Finished id(UUID chosen) {
            id = chosen;
            return this;
        }

        public Finished status(String name) {
            status = name;
            return this;
        }

        public Finished attempts(int count) {
            attempts = count;
            return this;
        }

        public Finished key(String idempotencyKey) {
            key = idempotencyKey;
            return this;
        }

        public Finished endedAgo(Duration time) {
            endedAgo = time;
            return this;
        }

        public Finished createdAgo(Duration time) {
            createdAgo = time;
            return this;
        }

        public UUID insert() {
            var created = createdAgo == null ? endedAgo.plusSeconds(1) : createdAgo;
            var chosen = id == null ? idFrom(created) : id;
            insertJob(chosen, ENDPOINT, 4, key, null);
            db.execute(
                    "INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, worker_id, output,"
                            + " run_at,"
                            + " started_at, completed_at, created_at) VALUES ($1, $1, 4, $2, $3, $4, '{}', now(),"
                            + " now() - ($5::bigint + 500) * interval '1 millisecond', now() - $5::bigint * interval"
                            + " '1 millisecond',"
                            + " now() - $6::bigint * interval '1 millisecond')",
                    chosen,
                    status,
                    attempts,
                    Uuid7.next(),
                    endedAgo.toMillis(),
                    created.toMillis());
            for (var i = 1; i < attempts; i++) {
                db.execute(
                        "INSERT INTO attempts (execution_id, attempt_number, status, started_at, completed_at)"
                                + " VALUES ($1, $2, 'FAILED', now(), now())",
                        chosen,
                        i);
            }
            return chosen;
        }
    }
}
