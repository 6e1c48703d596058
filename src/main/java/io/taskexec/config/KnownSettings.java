package io.taskexec.config;

import io.quarkus.runtime.annotations.RegisterForReflection;
import io.taskexec.api.connection.ConnectionConfig;
import io.taskexec.api.web.ApiConfig;
import io.taskexec.api.web.OidcConfig;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.http.HttpConfig;
import io.taskexec.dispatch.redis.RedisConfig;
import io.taskexec.kafka.KafkaConfig;
import io.taskexec.observe.metrics.MetricsConfig;
import io.taskexec.observe.trace.TraceConfig;
import io.taskexec.resolve.CloudEventsConfig;
import io.taskexec.resolve.PublicConfig;
import io.taskexec.resolve.ResolveConfig;
import io.taskexec.resolve.TargetConfig;
import io.taskexec.scheduler.SchedulerConfig;
import io.taskexec.store.region.RegionConfig;
import io.taskexec.store.sql.DatabaseConfig;
import io.taskexec.store.sql.EventsConfig;
import io.taskexec.store.sql.StoreConfig;
import io.taskexec.worker.WorkerConfig;
import io.taskexec.worker.adaptive.AdaptiveConfig;
import io.taskexec.worker.breaker.BreakerConfig;
import io.taskexec.worker.pressure.PressureConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Every setting of the program. A native image would not keep the methods that are only read about, but for this. */
@RegisterForReflection(
        targets = {
            ServerConfig.class,
            DatabaseConfig.class,
            ApiConfig.class,
            OidcConfig.class,
            ConnectionConfig.class,
            StoreConfig.class,
            EventsConfig.class,
            KafkaConfig.class,
            WorkerConfig.class,
            BreakerConfig.class,
            AdaptiveConfig.class,
            PressureConfig.class,
            ResolveConfig.class,
            PublicConfig.class,
            CloudEventsConfig.class,
            TargetConfig.class,
            HttpConfig.class,
            RedisConfig.class,
            EgressConfig.class,
            SchedulerConfig.class,
            RegionConfig.class,
            MetricsConfig.class,
            TraceConfig.class
        })
public final class KnownSettings {
    /** The interfaces that declare settings. */
    static final List<Class<?>> INTERFACES = List.of(
            ServerConfig.class,
            DatabaseConfig.class,
            ApiConfig.class,
            OidcConfig.class,
            ConnectionConfig.class,
            StoreConfig.class,
            EventsConfig.class,
            KafkaConfig.class,
            WorkerConfig.class,
            BreakerConfig.class,
            AdaptiveConfig.class,
            PressureConfig.class,
            ResolveConfig.class,
            PublicConfig.class,
            CloudEventsConfig.class,
            TargetConfig.class,
            HttpConfig.class,
            RedisConfig.class,
            EgressConfig.class,
            SchedulerConfig.class,
            RegionConfig.class,
            MetricsConfig.class,
            TraceConfig.class);

    /** The variables that client commands read. */
    public static final Set<String> OF_COMMANDS = Set.of("TE_URL", "TE_TOKEN", "TE_PROFILE", "TE_WEBHOOK_SECRET");

    /** Names of the first design that this one has no use for, and why. */
    public static final Map<String, String> UNUSED = Map.of(
            "TE_PROMOTE_INTERVAL_MS", "delayed executions become due by themselves",
            "TE_STUCK_EXECUTION_TIMEOUT_SEC", "TE_WORKER_LEASE_SEC and TE_WORKER_SILENCE_SEC decide",
            "TE_CONFIG_CACHE_TTL_SEC", "versions of configs never change, so they are never stale");

    private KnownSettings() {}

    /** All settings, in the order of their names; they are looked up anew each time. */
    public static List<KnownSetting> all() {
        return INTERFACES.stream().flatMap(KnownSetting::of).sorted().toList();
    }
}
