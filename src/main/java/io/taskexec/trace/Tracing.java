package io.taskexec.trace;

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

    private final Sampling sampling;
    private final SpanQueue queue;
    private final @Nullable Exporter exporter;

    private record Exporter(Collector collector, SpanExport export, Loop loop) {}

    public Tracing(
            TraceConfig config,
            Vertx vertx,
            LoopTimer timer,
            MeterRegistry metrics,
            @ConfigProperty(name = "quarkus.application.version", defaultValue = "dev") String version) {
        var target = Target.of(config);
        sampling = Sampling.of(config);
        queue = new SpanQueue(metrics);
        exporter = target == null ? null : exporter(target, resource(config, version), vertx, timer);
    }

    private Exporter exporter(Target target, Map<String, Object> resource, Vertx vertx, LoopTimer timer) {
        var collector = new Collector(vertx, target);
        var export = new SpanExport(vertx, queue, collector, new OtlpJson(resource));
        return new Exporter(collector, export, new Loop("exporting spans", export, timer));
    }

    /**
     * Gives something when the settings can be used.
     *
     * @throws IllegalArgumentException with the reason when they cannot
     */
    public static Object check(TraceConfig config) {
        var _ = Target.of(config);
        var _ = Pairs.of("OTEL_RESOURCE_ATTRIBUTES", config.resourceAttributes());
        return Sampling.of(config);
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
        return sampling.takes(traceId);
    }

    /** Exports {@code span} when its turn comes; never waits and never fails. */
    public void record(Span span) {
        if (exporter != null && queue.add(span)) {
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
