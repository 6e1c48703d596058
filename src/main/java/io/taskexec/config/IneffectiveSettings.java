package io.taskexec.config;

import io.taskexec.dispatch.http.HttpConfig;
import io.taskexec.kafka.StreamConfig;
import io.taskexec.observe.trace.TraceConfig;
import io.taskexec.observe.trace.Tracing;
import io.taskexec.store.sql.EventsConfig;
import io.taskexec.worker.breaker.BreakerConfig;
import java.util.List;
import java.util.stream.Stream;

/** Finds what is set and does nothing, so that nobody relies on it. */
public final class IneffectiveSettings {
    /**
     * A setting that does nothing as others are.
     *
     * @param name of the setting
     * @param reason says what is in their way
     */
    private record Idle(boolean holds, String name, String reason) {
        public Stream<String> warnings(Settings settings) {
            if (!holds) {
                return Stream.empty();
            }
            return settings.known().stream()
                    .filter(one -> one.name().equals(name) && settings.isGiven(one))
                    .map(one -> "%s is set, but has no effect %s.".formatted(one.name(), reason));
        }
    }

    private IneffectiveSettings() {}

    /** A sentence for each setting or value without effect, and for each name that is not a setting. */
    public static List<String> warnings(Settings settings) {
        return Stream.of(
                        StrayNames.warnings(System.getenv().keySet(), settings.known()).stream(),
                        Tracing.warnings(settings.of(TraceConfig.class)).stream(),
                        idle(settings).flatMap(one -> one.warnings(settings)))
                .flatMap(warnings -> warnings)
                .toList();
    }

    private static Stream<Idle> idle(Settings settings) {
        var withoutProxy = settings.of(HttpConfig.class).proxy().isEmpty();
        var withoutTopic = settings.of(StreamConfig.class).jobsKafkaTopic().isEmpty();
        var withoutBreakers = settings.of(BreakerConfig.class).failurePercent() == 0;
        var withoutEvents = !settings.of(EventsConfig.class).isEnabled();
        var traces = settings.of(TraceConfig.class);
        var sampler = traces.sampler().orElse("");
        return Stream.of(
                new Idle(
                        sampler.contains("_always_"), "OTEL_TRACES_SAMPLER_ARG", "with OTEL_TRACES_SAMPLER=" + sampler),
                new Idle(
                        traces.clientKey().isEmpty(),
                        "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
                        "without OTEL_EXPORTER_OTLP_CLIENT_KEY"),
                new Idle(withoutProxy, "TE_HTTP_NO_PROXY", "without TE_HTTP_PROXY"),
                new Idle(withoutTopic, "TE_JOBS_KAFKA_GROUP", "without TE_JOBS_KAFKA_TOPIC"),
                new Idle(withoutTopic, "TE_JOBS_KAFKA_DEAD_LETTER_TOPIC", "without TE_JOBS_KAFKA_TOPIC"),
                new Idle(withoutBreakers, "TE_BREAKER_MIN_ATTEMPTS", "with TE_BREAKER_FAILURE_PERCENT=0"),
                new Idle(withoutBreakers, "TE_BREAKER_WINDOW_SEC", "with TE_BREAKER_FAILURE_PERCENT=0"),
                new Idle(withoutBreakers, "TE_BREAKER_OPEN_SEC", "with TE_BREAKER_FAILURE_PERCENT=0"),
                new Idle(withoutEvents, "TE_EVENTS_MAX_STREAMS", "without TE_EVENTS_ENABLED=true"));
    }
}
