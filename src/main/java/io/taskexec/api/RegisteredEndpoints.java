package io.taskexec.api;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Endpoint;
import io.taskexec.model.EndpointType;
import io.taskexec.model.PayloadSpec;
import io.taskexec.schema.InputSchema;
import io.taskexec.store.EndpointStore;
import io.taskexec.store.PayloadSpecStore;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * What has to be known of an endpoint to create a job: its version and the compiled schema of its input. What is kept
 * here may be out of date; the insert refuses a job that was checked against an older version, and it is asked again.
 */
@Singleton
class RegisteredEndpoints {
    private static final int MAX_ENTRIES = 10_000;

    private final EndpointStore endpoints;
    private final PayloadSpecStore payloadSpecs;
    private final AsyncCache<String, @Nullable Registered> cache =
            Caffeine.newBuilder().maximumSize(MAX_ENTRIES).buildAsync();

    RegisteredEndpoints(EndpointStore endpoints, PayloadSpecStore payloadSpecs) {
        this.endpoints = endpoints;
        this.payloadSpecs = payloadSpecs;
    }

    /** @param payloadSpecVersion 0 when there is no payload spec */
    record Registered(
            String name,
            EndpointType type,
            int version,
            int payloadSpecVersion,
            @Nullable InputSchema schema) {}

    /** Fails with ENDPOINT_NOT_FOUND when there is none of that name. */
    Uni<Registered> get(String name) {
        return Uni.createFrom()
                .completionStage(() -> cache.get(name, (key, _) -> load(key).subscribeAsCompletionStage()))
                .map(found -> Answers.found(found, ErrorCode.ENDPOINT_NOT_FOUND, name));
    }

    void forget(String name) {
        cache.synchronous().invalidate(name);
    }

    /** Gives null, which is not kept, when there is none of that name. */
    private Uni<@Nullable Registered> load(String name) {
        return endpoints
                .find(name)
                .chain(endpoint -> endpoint == null ? Uni.createFrom().nullItem() : withSchema(endpoint));
    }

    private Uni<@Nullable Registered> withSchema(Endpoint endpoint) {
        var spec = endpoint.payloadSpec();
        return spec == null
                ? Uni.createFrom().item(registered(endpoint, null))
                : payloadSpecs.find(spec).map(found -> registered(endpoint, found));
    }

    /** A payload spec that has gone in between is found missing again by the insert. */
    private static Registered registered(Endpoint endpoint, @Nullable PayloadSpec spec) {
        return spec == null
                ? new Registered(endpoint.name(), endpoint.type(), endpoint.version(), 0, null)
                : new Registered(
                        endpoint.name(),
                        endpoint.type(),
                        endpoint.version(),
                        spec.version(),
                        InputSchema.compile(spec.schema()));
    }
}
