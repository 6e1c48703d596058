package io.taskexec.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.PayloadSpec;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.JobOptions;
import io.taskexec.model.job.Target;
import io.taskexec.model.queue.Queue;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Lookup;
import io.taskexec.schema.InputSchema;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.PayloadSpecStore;
import io.taskexec.store.sql.SharedReads;
import jakarta.inject.Singleton;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches what job creation needs of an endpoint: its version and its compiled input schema. A cached entry
 * here may be out of date; the insert refuses a job that was checked against an older version, and it is asked again.
 */
@Singleton
public class RegisteredEndpoints {
    private static final int MAX_ENTRIES = 10_000;

    /** The limit of retries when an endpoint changes during a request. */
    private static final int MAX_TRIES = 5;

    private final EndpointStore endpoints;
    private final PayloadSpecStore payloadSpecs;
    private final InputChecks checks;
    private final TargetEndpoints targets;
    private final SharedReads<String, @Nullable Registered> cache =
            new SharedReads<>(Caffeine.newBuilder().maximumSize(MAX_ENTRIES), this::load);

    RegisteredEndpoints(
            EndpointStore endpoints, PayloadSpecStore payloadSpecs, InputChecks checks, TargetEndpoints targets) {
        this.targets = targets;
        this.endpoints = endpoints;
        this.payloadSpecs = payloadSpecs;
        this.checks = checks;
    }

    /**
     * A registered endpoint at its current version.
     *
     * @param payloadSpecVersion 0 when there is no payload spec
     */
    public record Registered(
            String name,
            EndpointType type,
            int version,
            int payloadSpecVersion,
            Queue queue,
            @Nullable InputSchema schema,
            @Nullable FlowKeys flowKeys) {
        /**
         * The flow key of a job with this input; null without flow control. Throws an {@link ApiException}.
         *
         * @param isTemplate whether its strings may be templates, on which no key can depend
         * @param pointer where it is in the request
         */
        @Nullable
        FlowKey flowKey(@Nullable JsonNode input, boolean isTemplate, String pointer) {
            return flowKeys == null ? null : flowKeys.of(input, isTemplate, pointer);
        }
    }

    /**
     * Does something with the endpoint that is only possible while it is current: {@code use} returns null when it has
     * turned out not to be, and is then called with the newer version. Fails with ENDPOINT_NOT_FOUND.
     *
     * @param dryRun whether the hidden endpoint of a target is not to be made
     */
    <T> Uni<T> withCurrent(String name, boolean dryRun, Function<Registered, Uni<@Nullable T>> use) {
        return withCurrent(name, dryRun, use, MAX_TRIES);
    }

    private <T> Uni<T> withCurrent(
            String name, boolean dryRun, Function<Registered, Uni<@Nullable T>> use, int triesLeft) {
        // A hidden endpoint of a dry run is rolled back, so it must not be cached.
        return (dryRun && Target.isName(name) ? registered(targets.tried(name)) : cache.get(name))
                .chain(found -> use.apply(Lookup.found(found, ErrorCode.ENDPOINT_NOT_FOUND, name)))
                .chain(done -> done == null
                        ? again(name, dryRun, use, triesLeft - 1)
                        : Uni.createFrom().item(done));
    }

    private <T> Uni<T> again(String name, boolean dryRun, Function<Registered, Uni<@Nullable T>> use, int triesLeft) {
        cache.forget(name);
        return triesLeft > 0
                ? withCurrent(name, dryRun, use, triesLeft)
                : Uni.createFrom()
                        .failure(new ApiException(ErrorCode.CONFLICT, "The endpoint keeps changing; try again."));
    }

    /** Makes sure that the endpoint is read again: it was found to have changed. */
    public void forget(String name) {
        cache.forget(name);
    }

    /** The endpoint at its current version, as far as is known; null when there is none. */
    public Uni<@Nullable Registered> find(String name) {
        return cache.get(name);
    }

    /** Goes on unless nothing may be delivered to the target of a job. */
    <T> Uni<T> allowed(JobOptions options, Fields fields, Supplier<Uni<T>> then) {
        var target = options.target();
        return target == null
                ? then.get()
                : targets.check(target, fields.pointer(JobFields.TARGET)).chain(_ -> then.get());
    }

    /** Returns null, which is not cached, when there is none of that name. */
    private Uni<@Nullable Registered> load(String name) {
        return registered(Target.isName(name) ? targets.findOrCreate(name) : endpoints.find(name));
    }

    private Uni<@Nullable Registered> registered(Uni<@Nullable Endpoint> read) {
        return read.chain(endpoint -> endpoint == null ? Uni.createFrom().nullItem() : withSchema(endpoint));
    }

    /** A payload spec that has gone in between is found missing again by the insert. */
    private Uni<@Nullable Registered> withSchema(Endpoint endpoint) {
        var spec = endpoint.payloadSpec();
        return spec == null
                ? Uni.createFrom().item(registered(endpoint, 0, null))
                : payloadSpecs.find(spec).chain(found -> withSchema(endpoint, found));
    }

    private Uni<@Nullable Registered> withSchema(Endpoint endpoint, @Nullable PayloadSpec spec) {
        return spec == null
                ? Uni.createFrom().item(registered(endpoint, 0, null))
                : checks.compile(budget -> InputSchema.compile(spec.schema(), budget))
                        .map(schema -> registered(endpoint, spec.version(), schema));
    }

    private static Registered registered(Endpoint endpoint, int specVersion, @Nullable InputSchema schema) {
        return new Registered(
                endpoint.name(),
                endpoint.type(),
                endpoint.version(),
                specVersion,
                endpoint.queue(),
                schema,
                FlowKeys.of(endpoint));
    }
}
