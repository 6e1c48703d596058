package io.taskexec.observe.trace;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.resources.Resource;
import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.vertx.core.Vertx;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/** Takes the spans of this process and exports them, when there is a collector. Without one it does nothing. */
@Singleton
public final class Tracing {
    /** What the last spans may take when the process is told to stop. */
    private static final Duration LAST_SPANS = Duration.ofSeconds(2);

    private final @Nullable Exporter exporter;

    private record Exporter(TraceSettings settings, SpanQueue queue, SpanExport export, Loop loop) {}

    public Tracing(
            TraceConfig config,
            Vertx vertx,
            LoopTimer timer,
            MeterRegistry metrics,
            @ConfigProperty(name = "quarkus.application.version", defaultValue = "dev") String version) {
        // The check at the start has shown the warnings.
        exporter = TraceSettings.of(config, new LenientReader())
                .map(settings -> {
                    var queue = new SpanQueue(metrics);
                    var resource = Resource.create(resource(config, settings, version));
                    var export =
                            new SpanExport(vertx, queue, Exporters.of(settings, vertx), resource, settings.timeout());
                    return new Exporter(settings, queue, export, new Loop("exporting spans", export, timer));
                })
                .orElse(null);
    }

    /** A sentence for each setting that cannot be used; when nothing is exported, the others may be what they like. */
    public static List<String> warnings(TraceConfig config) {
        var reader = new LenientReader();
        var _ = TraceSettings.of(config, reader);
        return reader.warnings();
    }

    private static Attributes resource(TraceConfig config, TraceSettings settings, String version) {
        var resource = new LinkedHashMap<String, String>();
        resource.put("service.version", version);
        resource.put("service.instance.id", UUID.randomUUID().toString());
        resource.putAll(settings.resource());
        config.serviceName().ifPresent(name -> resource.put("service.name", name));
        return ExportedSpan.attributes(resource);
    }

    /** Whether there is a collector. */
    public boolean isOn() {
        return exporter != null;
    }

    /** Whether a trace that begins here is recorded; of one that began elsewhere its flag says so. */
    public boolean samples(String traceId) {
        return exporter != null && exporter.settings().samples(traceId);
    }

    /** Exports {@code span} when its turn comes; never waits and never fails. */
    public void record(EndedSpan span) {
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
                .invoke(exporter.export()::close);
    }
}
