package io.taskexec.observe.trace;

import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.exporter.sender.jdk.internal.JdkHttpSenderProvider;
import io.opentelemetry.sdk.common.export.GrpcSenderProvider;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.vertx.core.Vertx;
import java.util.stream.Stream;

/**
 * Builds the exporter of OpenTelemetry for the protocol of the settings. It tries once: {@link SpanExport} tries again.
 */
final class Exporters {
    private Exporters() {}

    static SpanExporter of(TraceSettings settings, Vertx vertx) {
        return settings.grpc() ? overGrpc(settings, vertx) : overHttp(settings);
    }

    private static SpanExporter overHttp(TraceSettings settings) {
        var builder = OtlpHttpSpanExporter.builder()
                .setEndpoint(settings.endpoint().toString())
                .setTimeout(settings.timeout())
                .setCompression(settings.compression())
                .setRetryPolicy(null)
                .setComponentLoader(only(new JdkHttpSenderProvider()));
        settings.headers().forEach(builder::addHeader);
        if (settings.authorities() != null) {
            builder.setTrustedCertificates(settings.authorities().getBytes());
        }
        if (settings.identity() != null) {
            builder.setClientTls(
                    settings.identity().key().getBytes(),
                    settings.identity().certificate().getBytes());
        }
        return builder.build();
    }

    /** The sender has the keys for TLS from the settings. */
    private static SpanExporter overGrpc(TraceSettings settings, Vertx vertx) {
        GrpcSenderProvider sender = config -> new VertxGrpcSender(vertx, settings, config);
        var builder = OtlpGrpcSpanExporter.builder()
                .setEndpoint(settings.endpoint().toString())
                .setTimeout(settings.timeout())
                .setCompression(settings.compression())
                .setRetryPolicy(null)
                .setComponentLoader(only(sender));
        settings.headers().forEach(builder::addHeader);
        return builder.build();
    }

    /** In place of what is found on the class path, which a native image does not have. */
    private static ComponentLoader only(Object provider) {
        return new ComponentLoader() {
            @Override
            public <T> Iterable<T> load(Class<T> service) {
                return Stream.of(provider)
                        .filter(service::isInstance)
                        .map(service::cast)
                        .toList();
            }
        };
    }
}
