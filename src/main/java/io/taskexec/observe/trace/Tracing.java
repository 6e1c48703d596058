package io.taskexec.observe.trace;

import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.vertx.core.Vertx;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/** Takes the spans of this process and exports them, when there is a collector. Without one it does nothing. */
@Singleton
public final class Tracing {
    /** What the last spans may take when the process is told to stop. */
    private static final Duration LAST_SPANS = Duration.ofSeconds(2);

    private final @Nullable Exporter exporter;

    private record Exporter(Sampling sampling, SpanQueue queue, Collector collector, SpanExport export, Loop loop) {}

    public Tracing(
            TraceConfig config,
            Vertx vertx,
            LoopTimer timer,
            MeterRegistry metrics,
            @ConfigProperty(name = "quarkus.application.version", defaultValue = "dev") String version) {
        var target = Target.of(config);
        exporter = target == null
                ? null
                : exporter(
                        target, Sampling.of(config), resource(config, version), vertx, timer, new SpanQueue(metrics));
    }

    private static Exporter exporter(
            Target target,
            Sampling sampling,
            Map<String, Object> resource,
            Vertx vertx,
            LoopTimer timer,
            SpanQueue queue) {
        var collector = new Collector(vertx, target);
        var export = new SpanExport(vertx, queue, collector, new OtlpJson(resource));
        return new Exporter(sampling, queue, collector, export, new Loop("exporting spans", export, timer));
    }

    /**
     * Gives whether anything is exported; when nothing is, the other settings may be what they like.
     *
     * @throws IllegalArgumentException with the reason when the settings cannot be used
     */
    public static boolean check(TraceConfig config) {
        if (Target.of(config) == null) {
            return false;
        }
        var _ = Pairs.of("OTEL_RESOURCE_ATTRIBUTES", config.resourceAttributes());
        var _ = Sampling.of(config);
        return true;
    }

    private static Map<String, Object> resource(TraceConfig config, String version) {
        var resource = new LinkedHashMap<String, Object>();
        resource.put("service.version", version);
        resource.put("service.instance.id", UUID.randomUUID().toString());
        resource.putAll(Pairs.of("OTEL_RESOURCE_ATTRIBUTES", config.resourceAttributes()));
        resource.put("service.name", config.serviceName());
        return resource;
    }

    /** Whether there is a collector. */
    public boolean isOn() {
        return exporter != null;
    }

    /** Whether a trace that begins here is recorded; of one that began elsewhere its flag says so. */
    public boolean samples(String traceId) {
        return exporter != null && exporter.sampling().takes(traceId);
    }

    /** Exports {@code span} when its turn comes; never waits and never fails. */
    public void record(Span span) {
        if (exporter != null && exporter.queue().add(span)) {
            exporter.loop().wake();
        }
    }

    /** Begins to export. */
    public void start() {
        if (exporter != null) {
            exporter.loop().start();
        }
    }

    /** Exports what is left, within a bound of time. */
    public Uni<Void> stop() {
        if (exporter == null) {
            return Uni.createFrom().voidItem();
        }
        return exporter.loop()
                .stop()
                .chain(exporter.export()::flush)
                .ifNoItem()
                .after(LAST_SPANS)
                .fail()
                .onFailure(TimeoutException.class)
                .recoverWithNull()
                .invoke(exporter.export()::giveUp)
                .invoke(exporter.collector()::close);
    }
}
