package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.job.JobOptions;
import io.taskexec.model.job.Target;
import io.taskexec.store.endpoint.ConfigStore;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.sql.UnreadableException;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads versions of endpoints and configs once: they never change, so what is cached of them cannot be stale. */
@Singleton
final class PlanCache {
    private static final int MAX_ENTRIES = 10_000;

    private static final CompletableFuture<Optional<JsonNode>> NO_CONFIG =
            CompletableFuture.completedFuture(Optional.empty());

    private final EndpointStore endpoints;
    private final ConfigStore configs;
    private final List<String> targetSecrets;
    private final AsyncCache<Version, Optional<EndpointPlan>> plans =
            Caffeine.newBuilder().maximumSize(MAX_ENTRIES).buildAsync();
    private final AsyncCache<Version, Optional<JsonNode>> configValues =
            Caffeine.newBuilder().maximumSize(MAX_ENTRIES).buildAsync();

    private record Version(String name, int version) {}

    PlanCache(EndpointStore endpoints, ConfigStore configs, TargetConfig targets) {
        this.endpoints = endpoints;
        this.configs = configs;
        this.targetSecrets = targets.signingSecrets().orElse(List.of());
    }

    /** The plan of a version of an endpoint, or of the target of a job; empty when the endpoint is gone. */
    CompletableFuture<Optional<EndpointPlan>> plan(String endpoint, int version, JobOptions options) {
        var target = options.target();
        return target == null ? plan(new Version(endpoint, version)) : plan(target);
    }

    private CompletableFuture<Optional<EndpointPlan>> plan(Target target) {
        try {
            return CompletableFuture.completedFuture(Optional.of(EndpointPlan.of(target, targetSecrets)));
        } catch (UnreadableException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Optional<EndpointPlan>> plan(Version key) {
        return plans.get(
                key,
                (version, _) -> endpoints
                        .find(version.name(), version.version())
                        .map(endpoint -> Optional.ofNullable(endpoint).map(EndpointPlan::of))
                        .subscribeAsCompletionStage());
    }

    /** The values of the config of an execution; empty without a config. */
    CompletableFuture<Optional<JsonNode>> config(EndpointPlan plan, Claim claim) {
        var name = plan.config();
        var version = claim.configVersion();
        return name == null || version == null
                ? NO_CONFIG
                : configValues.get(
                        new Version(name, version),
                        (key, _) -> configs.values(key.name(), key.version())
                                .map(Optional::ofNullable)
                                .subscribeAsCompletionStage());
    }
}
