package io.taskexec;

import io.taskexec.api.ApiConfig;
import io.taskexec.dispatch.EgressConfig;
import io.taskexec.dispatch.EgressPolicy;
import io.taskexec.dispatch.HttpConfig;
import io.taskexec.dispatch.HttpProxy;
import io.taskexec.dispatch.RedisConfig;
import io.taskexec.dispatch.RedisTrust;
import io.taskexec.dispatch.TrustRoots;
import io.taskexec.resolve.CloudEventsConfig;
import io.taskexec.resolve.ResolveConfig;
import io.taskexec.scheduler.SchedulerConfig;
import io.taskexec.secret.KeyRing;
import io.taskexec.store.Database;
import io.taskexec.store.DatabaseConfig;
import io.taskexec.store.DueSignal;
import io.taskexec.store.EventsConfig;
import io.taskexec.store.StoreConfig;
import io.taskexec.stream.StreamConfig;
import io.taskexec.trace.TraceConfig;
import io.taskexec.trace.Tracing;
import io.taskexec.worker.BreakerConfig;
import io.taskexec.worker.WorkerConfig;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/** The bounds of settings and the relations between them. */
final class StartupChecks {
    private static final Logger LOG = Logger.getLogger(StartupChecks.class);

    /** Names of the first design that this one has no use for, and why. */
    static final Map<String, String> UNUSED = Map.of(
            "TE_PROMOTE_INTERVAL_MS", "delayed executions become due by themselves",
            "TE_STUCK_EXECUTION_TIMEOUT_SEC", "TE_WORKER_LEASE_SEC and TE_WORKER_SILENCE_SEC decide",
            "TE_CONFIG_CACHE_TTL_SEC", "versions of configs are never stale");

    /** One after the other, such as a claim of a turn, one of what is left, and a look at what is due next. */
    private static final int STATEMENTS_IN_A_RUN = 6;

    private StartupChecks() {}

    /** Throws {@link StartRefusedException} for the first thing that is wrong. */
    static void checkAll(Settings settings) {
        checkDatabase(settings.server());
        within("TE_DB_STATEMENT_TIMEOUT_MS", settings.of(DatabaseConfig.class).dbStatementTimeoutMs(), 100, 60_000);
        checkHealth(settings.server(), settings.of(DatabaseConfig.class));
        checkKey(settings.server());
        checkWorker(settings.of(WorkerConfig.class));
        checkBreakers(settings.of(BreakerConfig.class));
        checkScheduler(settings.of(SchedulerConfig.class));
        checkKeyLifetime(settings.of(StoreConfig.class), settings.of(SchedulerConfig.class));
        within("TE_SECRET_CACHE_TTL_SEC", settings.of(ResolveConfig.class).ttlSec(), 1, 86_400);
        checkEvents(settings.of(EventsConfig.class), settings.of(SchedulerConfig.class));
        checkStreams(settings.of(StreamConfig.class), settings.of(EventsConfig.class));
        within("TE_EVENTS_MAX_STREAMS", settings.of(ApiConfig.class).eventsMaxStreams(), 0, 10_000);
        within("TE_RATE_LIMIT_PER_SEC", settings.of(ApiConfig.class).rateLimitPerSec(), 0, 1_000_000);
        checkSource(settings.of(CloudEventsConfig.class).source());
        asSentence(
                "TE_EGRESS_ALLOW_CIDRS and TE_EGRESS_DENY_CIDRS",
                () -> EgressPolicy.of(settings.of(EgressConfig.class)));
        checkRedis(settings.of(RedisConfig.class));
        checkHttp(settings.of(HttpConfig.class));
        asSentence("The settings of traces", () -> Tracing.check(settings.of(TraceConfig.class)));
        if (settings.server().roles().contains(Role.API)
                && settings.of(ApiConfig.class).apiKey().isEmpty()) {
            throw new StartRefusedException("The role api needs TE_API_KEY or TE_API_KEY_FILE.");
        }
        warnOfUnused(System.getenv().keySet());
    }

    /** What every command needs that works on the database. */
    static void checkDatabase(ServerConfig server) {
        within("TE_DB_POOL_SIZE", server.dbPoolSize(), 2, 1000);
        if (server.databaseUrl().isEmpty()) {
            throw new StartRefusedException(
                    "No database: set TE_DATABASE_URL or TE_DATABASE_URL_FILE, or try 'taskexec dev'.");
        }
    }

    /** What is only slow must not be taken for stuck. */
    private static void checkHealth(ServerConfig server, DatabaseConfig database) {
        within("TE_HEALTH_STALL_SEC", server.healthStallSec(), 10, 3600);
        var least = Database.patience(database.dbStatementTimeout()).multipliedBy(STATEMENTS_IN_A_RUN);
        if (server.healthStall().compareTo(least) < 0) {
            throw new StartRefusedException(
                    "TE_HEALTH_STALL_SEC must be at least %d with a TE_DB_STATEMENT_TIMEOUT_MS of %d, but is %d: what is only slow must not count as stuck."
                            .formatted(
                                    least.plusMillis(999).toSeconds(),
                                    database.dbStatementTimeoutMs(),
                                    server.healthStallSec()));
        }
    }

    private static void checkKey(ServerConfig server) {
        var key = server.secretEncryptionKey()
                .orElseThrow(
                        () -> new StartRefusedException(
                                "No key for secrets: set TE_SECRET_ENCRYPTION_KEY or TE_SECRET_ENCRYPTION_KEY_FILE to id:base64 of 32 bytes."));
        asSentence("TE_SECRET_ENCRYPTION_KEY", () -> KeyRing.parse(key));
    }

    private static void checkWorker(WorkerConfig worker) {
        within("TE_WORKER_MAX_CONCURRENT", worker.maxConcurrent(), 1, 10_000);
        within("TE_WORKER_LEASE_SEC", worker.leaseSec(), 3, 3600);
        within("TE_WORKER_SHUTDOWN_TIMEOUT_SEC", worker.shutdownTimeoutSec(), 0, 3600);
        // Beyond the horizon nobody is woken for what becomes due, so an idle poller must not sleep longer.
        within("TE_WORKER_POLL_INTERVAL_MS", worker.pollIntervalMs(), 1, DueSignal.HORIZON.toMillis());
    }

    private static void checkBreakers(BreakerConfig breakers) {
        within("TE_BREAKER_FAILURE_PERCENT", breakers.failurePercent(), 0, 100);
        within("TE_BREAKER_MIN_ATTEMPTS", breakers.minAttempts(), 1, 1_000_000);
        within("TE_BREAKER_WINDOW_SEC", breakers.windowSec(), 1, 3600);
        within("TE_BREAKER_OPEN_SEC", breakers.openSec(), 1, BreakerConfig.LONGEST.toSeconds());
    }

    private static void checkRedis(RedisConfig redis) {
        within("TE_REDIS_DEDUP_TTL_HOURS", redis.redisDedupTtlHours(), 1, 8_760);
        redis.redisCa().ifPresent(pem -> asSentence("TE_REDIS_CA", () -> RedisTrust.in(pem)));
    }

    private static void checkHttp(HttpConfig http) {
        within("TE_HTTP_MAX_CONNECTIONS_PER_HOST", http.maxConnectionsPerHost(), 1, 10_000);
        asSentence("TE_HTTP_PROXY and TE_HTTP_NO_PROXY", () -> HttpProxy.of(http));
        asSentence("TE_HTTP_CA_FILE", () -> TrustRoots.of(http));
    }

    private static void checkScheduler(SchedulerConfig scheduler) {
        within("TE_RETENTION_DAYS", scheduler.retentionDays(), 0, 36_500);
        within("TE_CRON_TICK_INTERVAL_SEC", scheduler.cronTickIntervalSec(), 1, 60);
        within("TE_CRON_BATCH_SIZE", scheduler.cronBatchSize(), 1, 10_000);
        within("TE_RECLAIM_INTERVAL_SEC", scheduler.reclaimIntervalSec(), 1, 3600);
        // Workers report every 5 s: less than two reports would bury the living.
        within("TE_WORKER_SILENCE_SEC", scheduler.workerSilenceSec(), 11, 3600);
    }

    /** A key finds its job, which must still be there. */
    private static void checkKeyLifetime(StoreConfig store, SchedulerConfig scheduler) {
        within("TE_IDEMPOTENCY_KEY_TTL_HOURS", store.idempotencyKeyTtlHours(), 1, 876_000);
        if (scheduler.retentionDays() > 0 && store.idempotencyKeyTtl().compareTo(scheduler.retention()) > 0) {
            throw new StartRefusedException(
                    "TE_IDEMPOTENCY_KEY_TTL_HOURS must not be longer than TE_RETENTION_DAYS, but %d hours are longer than %d days."
                            .formatted(store.idempotencyKeyTtlHours(), scheduler.retentionDays()));
        }
    }

    /** CloudEvents 1.0 asks for a reference that is not empty. */
    private static void checkSource(String source) {
        within("The length of TE_CLOUD_EVENTS_SOURCE", source.length(), 1, 255);
        asSentence("TE_CLOUD_EVENTS_SOURCE", () -> URI.create(source));
    }

    /** An event needs its job, which tells the endpoint. */
    private static void checkEvents(EventsConfig events, SchedulerConfig scheduler) {
        within("TE_EVENTS_RETENTION_HOURS", events.eventsRetentionHours(), 1, 876_000);
        if (scheduler.retentionDays() > 0 && events.retention().compareTo(scheduler.retention()) > 0) {
            throw new StartRefusedException(
                    "TE_EVENTS_RETENTION_HOURS must not be longer than TE_RETENTION_DAYS, but %d hours are longer than %d days."
                            .formatted(events.eventsRetentionHours(), scheduler.retentionDays()));
        }
    }

    private static void checkStreams(StreamConfig streams, EventsConfig events) {
        together("TE_EVENTS_KAFKA", streams.eventsKafkaTopic(), streams.eventsKafkaBootstrapServers());
        together("TE_JOBS_KAFKA", streams.jobsKafkaTopic(), streams.jobsKafkaBootstrapServers());
        if (streams.eventsKafkaTopic().isPresent() && !events.isEnabled()) {
            throw new StartRefusedException("TE_EVENTS_KAFKA_TOPIC needs TE_EVENTS_ENABLED=true.");
        }
        if (streams.jobsKafkaTopic().isPresent()
                && streams.jobsKafkaTopic().orElseThrow().equals(streams.deadLetterTopic())) {
            throw new StartRefusedException(
                    "TE_JOBS_KAFKA_DEAD_LETTER_TOPIC must not be TE_JOBS_KAFKA_TOPIC: its records would be read again and again.");
        }
    }

    private static void together(String prefix, Optional<String> topic, Optional<String> bootstrapServers) {
        if (topic.isPresent() != bootstrapServers.isPresent()) {
            throw new StartRefusedException(
                    "%1$s_TOPIC and %1$s_BOOTSTRAP_SERVERS must be given together.".formatted(prefix));
        }
    }

    private static void within(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new StartRefusedException("%s must be from %d to %d, but is %d.".formatted(name, min, max, value));
        }
    }

    private static void asSentence(String name, Supplier<?> check) {
        try {
            var _ = check.get();
        } catch (IllegalArgumentException e) {
            throw new StartRefusedException(name + " cannot be used: " + e.getMessage());
        }
    }

    private static void warnOfUnused(Set<String> names) {
        for (var name : new TreeSet<>(names)) {
            var reason = UNUSED.get(name);
            if (reason != null) {
                LOG.warnf("%s is set, but has no effect: %s", name, reason);
            }
        }
    }
}
