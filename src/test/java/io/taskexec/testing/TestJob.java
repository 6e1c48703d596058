package io.taskexec.testing;

import io.taskexec.model.Json;
import io.taskexec.model.TraceContext;
import io.taskexec.model.Uuid7;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.model.job.Expiry;
import io.taskexec.model.job.JobOptions;
import io.taskexec.store.job.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job that is to be created: a plain one of the endpoint of the rows that is due at once, unless told otherwise. */
public final class TestJob {
    private UUID id = Uuid7.next();
    private String endpoint = Rows.ENDPOINT;
    private int version = 1;
    private int specVersion;
    private String trigger = "IMMEDIATE";
    private @Nullable Instant runAt;
    private Duration delay = Duration.ZERO;
    private int queue;
    private boolean namesQueue;
    private int priority = 4;
    private Set<String> tags = Set.of();
    private String key = UUID.randomUUID().toString();
    private UUID fingerprint = UUID.randomUUID();
    private @Nullable String input;
    private @Nullable TraceContext trace;
    private @Nullable FlowKey flow;
    private Expiry expiry = Expiry.NONE;
    private @Nullable Dependencies dependencies;
    private boolean pulled;

    public TestJob id(UUID other) {
        id = other;
        return this;
    }

    public TestJob endpoint(String name, int atVersion) {
        endpoint = name;
        version = atVersion;
        return this;
    }

    public TestJob payloadSpec(int atVersion) {
        specVersion = atVersion;
        return this;
    }

    public TestJob trigger(String name) {
        trigger = name;
        return this;
    }

    public TestJob runAt(@Nullable Instant time) {
        runAt = time;
        return time == null ? this : trigger("DELAYED");
    }

    public TestJob delay(Duration time) {
        delay = time;
        return time.isZero() ? this : trigger("DELAYED");
    }

    /** The queue of its endpoint. */
    public TestJob queue(int number) {
        queue = number;
        return this;
    }

    /** A queue that it names itself. */
    public TestJob ownQueue(int number) {
        namesQueue = true;
        return queue(number);
    }

    public TestJob priority(int number) {
        priority = number;
        return this;
    }

    public TestJob tags(Set<String> all) {
        tags = all;
        return this;
    }

    public TestJob key(String text) {
        key = text;
        return this;
    }

    public TestJob fingerprint(UUID ofRequest) {
        fingerprint = ofRequest;
        return this;
    }

    public TestJob input(@Nullable String json) {
        input = json;
        return this;
    }

    public TestJob trace(TraceContext madeIn) {
        trace = madeIn;
        return this;
    }

    public TestJob flow(FlowKey ofEndpoint) {
        flow = ofEndpoint;
        return this;
    }

    public TestJob expiry(Expiry times) {
        expiry = times;
        return this;
    }

    public TestJob waitingFor(Dependencies others) {
        dependencies = others;
        return this;
    }

    /** Its endpoint is of type WORKER. */
    public TestJob pulled() {
        pulled = true;
        return this;
    }

    public NewJob made() {
        return new NewJob(
                id,
                endpoint,
                version,
                specVersion,
                trigger,
                runAt,
                delay,
                queue,
                priority,
                tags,
                key,
                fingerprint,
                Json.stored(input),
                trace,
                flow,
                namesQueue,
                expiry,
                dependencies,
                JobOptions.NONE,
                pulled);
    }
}
