package io.taskexec.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.client.model.Execution;
import io.taskexec.client.model.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A new job. {@link Taskexec#task} makes one; {@link #schedule()} sends it. */
public final class JobBuilder extends TriggeredFields<JobBuilder> {
    private final Taskexec client;
    private final List<String> parents = new ArrayList<>();
    private final Map<String, String> namedParents = new LinkedHashMap<>();
    private @Nullable RetryPolicy retry;

    JobBuilder(Taskexec client, ObjectMapper data) {
        super(data);
        this.client = client;
    }

    @Override
    JobBuilder self() {
        return this;
    }

    /**
     * Waits for other jobs.
     *
     * @param jobIds ids of jobs; in a workflow their names
     * @return this
     */
    public JobBuilder dependsOn(String... jobIds) {
        parents.addAll(List.of(jobIds));
        return setParents();
    }

    /**
     * Waits for other jobs.
     *
     * @param jobs that were created before
     * @return this
     */
    public JobBuilder dependsOn(Job... jobs) {
        for (var job : jobs) {
            parents.add(job.jobId());
        }
        return setParents();
    }

    /**
     * Waits for another job, and has its result under a name.
     *
     * @param name for templates and handlers
     * @param job that was created before
     * @return this
     */
    public JobBuilder dependsOn(String name, Job job) {
        namedParents.put(name, job.jobId());
        return setParents();
    }

    private JobBuilder setParents() {
        if (namedParents.isEmpty()) {
            return set("depends_on", List.copyOf(parents));
        }
        var all = new LinkedHashMap<>(namedParents);
        parents.forEach(id -> all.put(id, id));
        return set("depends_on", all);
    }

    /**
     * Sets when it runs if it waits for others.
     *
     * @param rule the rule
     * @return this
     */
    public JobBuilder triggerRule(TriggerRule rule) {
        return set("trigger_rule", rule.wireName());
    }

    /**
     * Skips it unless a condition on its parents holds.
     *
     * @param pointer a JSON Pointer, such as {@code /parents/check/output/json/ok}
     * @param value what must be there
     * @return this
     */
    public JobBuilder when(String pointer, Object value) {
        return set("when", Map.of("pointer", pointer, "equals", value));
    }

    /**
     * Sets what happens when another job has the key: {@code return} (default), {@code replace} or {@code reject}.
     *
     * @param choice one of them
     * @return this
     */
    public JobBuilder onConflict(String choice) {
        return set("on_conflict", choice);
    }

    /**
     * Bounds an attempt.
     *
     * @param time at most an hour
     * @return this
     */
    public JobBuilder timeout(Duration time) {
        return set("timeout_ms", millis(time));
    }

    /**
     * Lets no attempt begin later.
     *
     * @param time the last moment
     * @return this
     */
    public JobBuilder deadline(Instant time) {
        return set("deadline", time);
    }

    /**
     * Sets how failures are retried. That belongs to the endpoint: when its policy is another one, it is changed as the
     * job is created, for this job and later ones. It needs a key that may change endpoints. A worker sets it once for
     * all, with {@code options.retry}. A job that calls an address has a policy of its own.
     *
     * @param policy the policy
     * @return this
     */
    public JobBuilder retry(RetryPolicy policy) {
        retry = policy;
        return this;
    }

    /**
     * Creates the job.
     *
     * @return the job, or the one that has the key
     * @throws TaskexecException when it is refused
     */
    public Job schedule() {
        return client.jobs().create(this);
    }

    /**
     * Creates the job, and waits until it has ended.
     *
     * @param timeout the longest time to wait
     * @return its execution, which may not have ended
     * @throws TaskexecException when it is refused
     */
    public Execution scheduleAndWait(Duration timeout) {
        var end = System.nanoTime() + timeout.toNanos();
        var execution = client.jobs().createAndWait(this, timeout).execution();
        Objects.requireNonNull(execution, "A schedule has no end.");
        var rest = Duration.ofNanos(end - System.nanoTime());
        return execution.hasEnded() || rest.isNegative()
                ? execution
                : client.executions().await(execution.executionId(), rest);
    }

    @Override
    void applyRetryPolicy(RetryPolicies policies) {
        if (retry == null) {
            return;
        }
        var target = fields().get("target");
        if (target == null) {
            policies.set(String.valueOf(fields().get("endpoint")), retry);
        } else if (Json.sent(target) instanceof ObjectNode fields) {
            set("target", fields.set("retry_policy", Json.sent(retry)));
        }
    }
}
