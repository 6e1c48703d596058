package io.taskexec.config;

import static java.util.stream.Collectors.joining;

import io.taskexec.api.web.ApiConfig;
import io.taskexec.api.web.OidcConfig;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressPolicy;
import io.taskexec.dispatch.http.HttpConfig;
import io.taskexec.dispatch.http.HttpProxy;
import io.taskexec.dispatch.http.TrustRoots;
import io.taskexec.dispatch.redis.RedisConfig;
import io.taskexec.dispatch.redis.RedisTrust;
import io.taskexec.kafka.KafkaConfig;
import io.taskexec.model.ValueType;
import io.taskexec.model.delivery.HostAndPort;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.resolve.CloudEventsConfig;
import io.taskexec.resolve.PublicConfig;
import io.taskexec.resolve.TargetConfig;
import io.taskexec.scheduler.SchedulerConfig;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.KeyStrength;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.region.RegionConfig;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.DatabaseConfig;
import io.taskexec.store.sql.EventsConfig;
import io.taskexec.store.sql.StoreConfig;
import io.taskexec.worker.pressure.PressureConfig;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/** Checks the rules for settings beyond types and bounds, and the relations between settings. */
public final class StartupChecks {
    private static final Logger LOG = Logger.getLogger(StartupChecks.class);

    /** One after the other, such as a claim of a turn, one of what is left, and a look at what is due next. */
    private static final int STATEMENTS_IN_A_RUN = 6;

    private StartupChecks() {}

    /** Throws {@link StartRefusedException} for the first thing that is wrong or missing. */
    public static void checkAll(Settings settings) {
        checkDatabase(settings.server());
        checkRequired(settings);
        checkValues(settings);
        IgnoredSettings.warnings(settings).forEach(LOG::warn);
    }

    /** Throws for the first thing that is wrong of what is given. */
    public static void checkValues(Settings settings) {
        var server = settings.server();
        var scheduler = settings.of(SchedulerConfig.class);
        var _ = server.databaseUrl().map(DatabaseUrl::parse);
        checkKeys(server, settings.of(ApiConfig.class));
        checkAddresses(server);
        checkRoles(server.roles());
        checkSilence(settings.of(DatabaseConfig.class), scheduler);
        checkHealth(server, settings.of(DatabaseConfig.class));
        checkRegion(settings.of(RegionConfig.class), scheduler);
        checkKeptNoLongerThanJobs(
                "TE_IDEMPOTENCY_KEY_TTL_HOURS", settings.of(StoreConfig.class).idempotencyKeyTtl(), scheduler);
        checkKeptNoLongerThanJobs(
                "TE_EVENTS_RETENTION_HOURS", settings.of(EventsConfig.class).retention(), scheduler);
        checkPressure(settings.of(PressureConfig.class));
        checkKafka(settings.of(KafkaConfig.class), settings.of(EventsConfig.class));
        asSentence(
                "TE_CLOUD_EVENTS_SOURCE",
                () -> URI.create(settings.of(CloudEventsConfig.class).source()));
        asSentence(
                "TE_TARGET_SIGNING_SECRETS",
                () -> checkSigning(
                        settings.of(TargetConfig.class).signingSecrets().orElse(List.of())));
        asSentence(
                "TE_EGRESS_ALLOW_CIDRS and TE_EGRESS_DENY_CIDRS",
                () -> EgressPolicy.of(settings.of(EgressConfig.class)));
        settings.of(RedisConfig.class).redisCa().ifPresent(pem -> asSentence("TE_REDIS_CA", () -> RedisTrust.in(pem)));
        asSentence("Single sign-on", () -> settings.of(OidcConfig.class).checked());
        asSentence("TE_UI_TRACE_URL", () -> checkTraces(settings.of(ApiConfig.class)));
        checkHttp(settings.of(HttpConfig.class));
        asSentence("TE_PUBLIC_URL", () -> settings.of(PublicConfig.class).checked());
    }

    private static List<String> checkSigning(List<String> names) {
        if (names.size() > IdentitySpec.MAX_SECRETS || !names.stream().allMatch(ValueType.SECRET_NAME::matches)) {
            throw new IllegalArgumentException("must be the names of one or two secrets");
        }
        return names;
    }

    /** Refuses keys that others can guess. */
    private static void checkKeys(ServerConfig server, ApiConfig api) {
        server.secretEncryptionKey()
                .ifPresent(key -> asSentence("TE_SECRET_ENCRYPTION_KEY", () -> KeyRing.parseForUse(key)));
        api.apiKey()
                .ifPresent(key -> asSentence("TE_API_KEY", () -> {
                    KeyStrength.checkApiKey(key);
                    return key;
                }));
    }

    /** Checks the settings of every command that works on the database. */
    public static void checkDatabase(ServerConfig server) {
        if (server.databaseUrl().isEmpty()) {
            throw new StartRefusedException(
                    "No database: set TE_DATABASE_URL or TE_DATABASE_URL_FILE, or try 'taskexec dev'.");
        }
    }

    /** A slow task must not be taken for a stuck one. */
    private static void checkHealth(ServerConfig server, DatabaseConfig database) {
        var least = Database.patience(database.dbStatementTimeout()).multipliedBy(STATEMENTS_IN_A_RUN);
        if (server.healthStall().compareTo(least) < 0) {
            throw new StartRefusedException("""
                    TE_HEALTH_STALL_SEC must be at least %d with a TE_DB_STATEMENT_TIMEOUT_MS of %d, but is %d: what \
                    is only slow must not count as stuck.""".formatted(
                    least.plusMillis(999).toSeconds(), database.dbStatementTimeoutMs(), server.healthStallSec()));
        }
    }

    private static void checkRequired(Settings settings) {
        if (settings.server().secretEncryptionKey().isEmpty()) {
            throw new StartRefusedException(
                    "No key for secrets: set TE_SECRET_ENCRYPTION_KEY or TE_SECRET_ENCRYPTION_KEY_FILE to id:base64 of"
                            + " 32 bytes.");
        }
        if (settings.server().roles().contains(Role.API)
                && settings.of(ApiConfig.class).apiKey().isEmpty()) {
            throw new StartRefusedException("The role api needs TE_API_KEY or TE_API_KEY_FILE.");
        }
    }

    /** Both would listen, and one of them would get what is meant for the other. */
    private static void checkAddresses(ServerConfig server) {
        var api = Address.parse("TE_LISTEN_ADDR", server.listenAddr());
        var management = Address.parse("TE_MANAGEMENT_ADDR", server.managementAddr());
        if (server.roles().contains(Role.API) && api.port() == management.port() && api.port() != 0) {
            throw new StartRefusedException("TE_LISTEN_ADDR and TE_MANAGEMENT_ADDR must have different ports.");
        }
    }

    /** A heartbeat has one row for each role. */
    private static void checkRoles(List<Role> roles) {
        if (roles.size() > Set.copyOf(roles).size()) {
            throw new StartRefusedException("TE_ROLES must not name a role twice, but is %s."
                    .formatted(roles.stream().map(Role::component).collect(joining(","))));
        }
    }

    /** A worker whose report waits for as long as a statement may is not dead. */
    private static void checkSilence(DatabaseConfig database, SchedulerConfig scheduler) {
        if (database.dbStatementTimeout().compareTo(scheduler.workerSilence()) > 0) {
            throw new StartRefusedException(
                    """
                    TE_DB_STATEMENT_TIMEOUT_MS must not be longer than TE_WORKER_SILENCE_SEC, but %d ms are longer \
                    than %d s.""".formatted(database.dbStatementTimeoutMs(), scheduler.workerSilenceSec()));
        }
    }

    /** A region is not silent before its workers are. */
    private static void checkRegion(RegionConfig region, SchedulerConfig scheduler) {
        asSentence("TE_REGION", () -> new HomeRegion(region.region()));
        if (region.regionSilenceSec() < scheduler.workerSilenceSec()) {
            throw new StartRefusedException("""
                    TE_REGION_SILENCE_SEC must not be shorter than TE_WORKER_SILENCE_SEC, but %d s are shorter than \
                    %d s.""".formatted(region.regionSilenceSec(), scheduler.workerSilenceSec()));
        }
    }

    /** With more pressure, no more may start. */
    private static void checkPressure(PressureConfig pressure) {
        if (pressure.lowPercent() > pressure.normalPercent() || pressure.normalPercent() > pressure.urgentPercent()) {
            throw new StartRefusedException(
                    "TE_PRESSURE_LOW_PERCENT, TE_PRESSURE_NORMAL_PERCENT and TE_PRESSURE_URGENT_PERCENT must not fall,"
                            + " but are %d, %d and %d."
                                    .formatted(
                                            pressure.lowPercent(), pressure.normalPercent(), pressure.urgentPercent()));
        }
    }

    /** A key finds its job, and an event needs its job, which tells the endpoint. */
    private static void checkKeptNoLongerThanJobs(String name, Duration kept, SchedulerConfig scheduler) {
        if (scheduler.retentionDays() > 0 && kept.compareTo(scheduler.retention()) > 0) {
            throw new StartRefusedException(
                    "%s must not be longer than TE_RETENTION_DAYS, but %d hours are longer than %d days."
                            .formatted(name, kept.toHours(), scheduler.retentionDays()));
        }
    }

    /** A link without it would lead to the same place for all traces. */
    private static Optional<String> checkTraces(ApiConfig api) {
        if (api.uiTraceUrl().filter(url -> !url.contains("{trace_id}")).isPresent()) {
            throw new IllegalArgumentException("it must have {trace_id} in it");
        }
        return api.uiTraceUrl();
    }

    private static void checkHttp(HttpConfig http) {
        asSentence("TE_HTTP_USER_AGENT", () -> checkHeader(http.userAgent()));
        asSentence("TE_HTTP_PROXY and TE_HTTP_NO_PROXY", () -> HttpProxy.of(http));
        asSentence("TE_HTTP_CA_FILE", () -> TrustRoots.of(http));
    }

    private static String checkHeader(String value) {
        if (!value.chars().allMatch(one -> one >= ' ' && one <= '~')) {
            throw new IllegalArgumentException("it must be of printable ASCII characters, on one line");
        }
        return value;
    }

    private static void checkKafka(KafkaConfig kafka, EventsConfig events) {
        together("TE_EVENTS_KAFKA", kafka.eventsKafkaTopic(), kafka.eventsKafkaBootstrapServers());
        together("TE_JOBS_KAFKA", kafka.jobsKafkaTopic(), kafka.jobsKafkaBootstrapServers());
        if (kafka.eventsKafkaTopic().isPresent() && !events.isEnabled()) {
            throw new StartRefusedException("TE_EVENTS_KAFKA_TOPIC needs TE_EVENTS_ENABLED=true.");
        }
        if (kafka.jobsKafkaTopic().isPresent()
                && kafka.jobsKafkaTopic().orElseThrow().equals(kafka.deadLetterTopic())) {
            throw new StartRefusedException(
                    "TE_JOBS_KAFKA_DEAD_LETTER_TOPIC must not be TE_JOBS_KAFKA_TOPIC: its records would be read again"
                            + " and again.");
        }
        if (kafka.jobsKafkaTopic().isPresent()
                && kafka.jobsKafkaTopic().equals(kafka.eventsKafkaTopic())
                && kafka.jobsKafkaBootstrapServers().equals(kafka.eventsKafkaBootstrapServers())) {
            throw new StartRefusedException(
                    "TE_EVENTS_KAFKA_TOPIC must not be TE_JOBS_KAFKA_TOPIC: events would be read as jobs.");
        }
    }

    private static void together(String prefix, Optional<String> topic, Optional<String> bootstrapServers) {
        if (topic.isPresent() != bootstrapServers.isPresent()) {
            throw new StartRefusedException(
                    "%1$s_TOPIC and %1$s_BOOTSTRAP_SERVERS must be given together.".formatted(prefix));
        }
        bootstrapServers.filter(servers -> HostAndPort.ofList(servers) == null).ifPresent(servers -> {
            throw new StartRefusedException(
                    "%s_BOOTSTRAP_SERVERS must be host:port, or a list of such with commas, but is '%s'."
                            .formatted(prefix, servers));
        });
    }

    private static void asSentence(String name, Supplier<?> check) {
        try {
            var _ = check.get();
        } catch (IllegalArgumentException e) {
            throw new StartRefusedException(name + " cannot be used: " + e.getMessage());
        }
    }
}
