package io.taskexec.trace;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.util.Optional;

/** Settings of traces, under the names that all programs with OpenTelemetry have. */
@ConfigMapping(prefix = "otel")
public interface TraceConfig {
    /** OTEL_EXPORTER_OTLP_ENDPOINT: where the collector is; {@code /v1/traces} is put behind it. */
    @WithName("exporter.otlp.endpoint")
    Optional<String> endpoint();

    /** OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: the same with its path, in place of the other. */
    @WithName("exporter.otlp.traces.endpoint")
    Optional<String> tracesEndpoint();

    /** OTEL_EXPORTER_OTLP_PROTOCOL: the one that is spoken. */
    @WithName("exporter.otlp.protocol")
    @WithDefault("http/json")
    String protocol();

    /** OTEL_EXPORTER_OTLP_HEADERS or OTEL_EXPORTER_OTLP_HEADERS_FILE: {@code name=value[,name=value...]}, sent along. */
    @WithName("exporter.otlp.headers")
    Optional<String> headers();

    /** OTEL_EXPORTER_OTLP_CERTIFICATE: a file with the authorities that vouch for the collector, as PEM. */
    @WithName("exporter.otlp.certificate")
    Optional<String> certificate();

    /** OTEL_SERVICE_NAME: what the spans are shown under. */
    @WithName("service.name")
    @WithDefault("taskexec")
    String serviceName();

    /** OTEL_RESOURCE_ATTRIBUTES: {@code name=value[,name=value...]}, what else is told of this process. */
    @WithName("resource.attributes")
    Optional<String> resourceAttributes();

    /** OTEL_TRACES_SAMPLER: how it is decided about traces that begin here. */
    @WithName("traces.sampler")
    @WithDefault("parentbased_traceidratio")
    String sampler();

    /** OTEL_TRACES_SAMPLER_ARG: which part of the traces that begin here is recorded, from 0 to 1. */
    @WithName("traces.sampler.arg")
    @WithDefault("1")
    double samplerArg();

    /** OTEL_SDK_DISABLED: whether nothing is exported, whatever the others say. */
    @WithName("sdk.disabled")
    @WithDefault("false")
    boolean disabled();
}
