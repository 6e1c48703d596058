package io.taskexec.config;

import io.taskexec.api.web.ApiConfig;
import io.taskexec.api.web.OidcConfig;
import io.taskexec.dispatch.http.HttpConfig;
import io.taskexec.kafka.KafkaConfig;
import io.taskexec.observe.trace.TraceConfig;
import io.taskexec.observe.trace.Tracing;
import io.taskexec.store.sql.EventsConfig;
import io.taskexec.worker.breaker.BreakerConfig;
import io.taskexec.worker.pressure.PressureConfig;
import java.util.List;
import java.util.stream.Stream;

/** Finds settings that have no effect, so that the operator does not rely on them. */
public final class IgnoredSettings {
    /**
     * A setting that has no effect beside other settings.
     *
     * @param holds whether the other settings have these values
     * @param reason the end of the warning
     */
    private record IgnoredSetting(boolean holds, String name, String reason) {
        Stream<String> warnings(Settings settings) {
            if (!holds) {
                return Stream.empty();
            }
            return settings.known().stream()
                    .filter(one -> one.name().equals(name) && settings.isGiven(one))
                    .map(one -> "%s is set, but has no effect %s.".formatted(one.name(), reason));
        }
    }

    private IgnoredSettings() {}

    /** A sentence for each setting or value without effect, and for each unknown variable. */
    public static List<String> warnings(Settings settings) {
        return Stream.of(
                        UnknownVariables.warnings(System.getenv().keySet(), settings.known()).stream(),
                        Tracing.warnings(settings.of(TraceConfig.class)).stream(),
                        ignored(settings).flatMap(one -> one.warnings(settings)))
                .flatMap(warnings -> warnings)
                .toList();
    }

    private static Stream<IgnoredSetting> ignored(Settings settings) {
        var withoutProxy = settings.of(HttpConfig.class).proxy().isEmpty();
        var withoutTopic = settings.of(KafkaConfig.class).jobsKafkaTopic().isEmpty();
        var withoutDashboard = settings.of(ApiConfig.class).ui() == ApiConfig.Dashboard.OFF;
        var withoutIssuer = settings.of(OidcConfig.class).issuer().isEmpty();
        var withoutBreakers = settings.of(BreakerConfig.class).failurePercent() == 0;
        var withoutEvents = !settings.of(EventsConfig.class).isEnabled();
        var withoutPressure = !settings.of(PressureConfig.class).enabled().isOn();
        var traces = settings.of(TraceConfig.class);
        var sampler = traces.sampler().orElse("");
        var others = Stream.of(
                new IgnoredSetting(
                        sampler.contains("_always_"), "OTEL_TRACES_SAMPLER_ARG", "with OTEL_TRACES_SAMPLER=" + sampler),
                new IgnoredSetting(
                        traces.clientKey().isEmpty(),
                        "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
                        "without OTEL_EXPORTER_OTLP_CLIENT_KEY"),
                new IgnoredSetting(withoutProxy, "TE_HTTP_NO_PROXY", "without TE_HTTP_PROXY"),
                new IgnoredSetting(withoutDashboard, "TE_UI_OIDC_ISSUER", "with TE_UI=off"),
                new IgnoredSetting(withoutIssuer, "TE_UI_OIDC_CLIENT_ID", "without TE_UI_OIDC_ISSUER"),
                new IgnoredSetting(withoutIssuer, "TE_UI_OIDC_CLIENT_SECRET", "without TE_UI_OIDC_ISSUER"),
                new IgnoredSetting(withoutIssuer, "TE_UI_OIDC_SCOPES", "without TE_UI_OIDC_ISSUER"),
                new IgnoredSetting(withoutIssuer, "TE_UI_OIDC_CLAIM", "without TE_UI_OIDC_ISSUER"),
                new IgnoredSetting(withoutIssuer, "TE_UI_OIDC_ASK", "without TE_UI_OIDC_ISSUER"),
                new IgnoredSetting(withoutTopic, "TE_JOBS_KAFKA_GROUP", "without TE_JOBS_KAFKA_TOPIC"),
                new IgnoredSetting(withoutTopic, "TE_JOBS_KAFKA_DEAD_LETTER_TOPIC", "without TE_JOBS_KAFKA_TOPIC"),
                new IgnoredSetting(withoutBreakers, "TE_BREAKER_MIN_ATTEMPTS", "with TE_BREAKER_FAILURE_PERCENT=0"),
                new IgnoredSetting(withoutBreakers, "TE_BREAKER_WINDOW_SEC", "with TE_BREAKER_FAILURE_PERCENT=0"),
                new IgnoredSetting(withoutBreakers, "TE_BREAKER_OPEN_SEC", "with TE_BREAKER_FAILURE_PERCENT=0"),
                new IgnoredSetting(withoutEvents, "TE_EVENTS_MAX_STREAMS", "without TE_EVENTS_ENABLED=true"));
        return Stream.concat(others, pressure(withoutPressure));
    }

    private static Stream<IgnoredSetting> pressure(boolean without) {
        return Stream.of(
                        "LOW_PERCENT",
                        "NORMAL_PERCENT",
                        "URGENT_PERCENT",
                        "CPU_PERCENT",
                        "MEMORY_PERCENT",
                        "EVENT_LOOP_MS",
                        "DATABASE_MS")
                .map(name -> new IgnoredSetting(without, "TE_PRESSURE_" + name, "with TE_PRESSURE_ENABLED=false"));
    }
}
