package io.taskexec.observe.trace;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import io.taskexec.model.Setting;
import java.util.Optional;

/**
 * Settings of traces, under the names that all programs with OpenTelemetry have. They are texts: {@link TraceSettings}
 * reads them, since a value that cannot be used must not keep a process from starting.
 */
@ConfigMapping(prefix = "otel")
public interface TraceConfig {
    @Setting(
            value = "Where the collector is, such as `http://collector:4318`, or `http://collector:4317` with gRPC."
                    + " With"
                    + " `http/protobuf`, `/v1/traces` is put behind it. Without it nothing is exported.",
            form = "a URL",
            shown = Setting.Shown.WITHOUT_PASSWORD)
    @WithName("exporter.otlp.endpoint")
    Optional<String> endpoint();

    @Setting(
            value = "The full address, with its path; replaces `OTEL_EXPORTER_OTLP_ENDPOINT`.",
            form = "a URL",
            shown = Setting.Shown.WITHOUT_PASSWORD)
    @WithName("exporter.otlp.traces.endpoint")
    Optional<String> tracesEndpoint();

    @Setting(value = "Where spans go; `none` is nowhere.", form = "`otlp`, `none`")
    @WithName("traces.exporter")
    @WithDefault("otlp")
    Optional<String> tracesExporter();

    @Setting(
            value = "What is spoken. Collectors listen for HTTP on port 4318 and for gRPC on port 4317.",
            form = "`http/protobuf`, `grpc`")
    @WithName("exporter.otlp.protocol")
    @WithDefault("http/protobuf")
    Optional<String> protocol();

    @Setting(
            value = "Headers of each request to it, percent-encoded.",
            form = "`name=value`, list with commas",
            file = true,
            shown = Setting.Shown.NOTHING)
    @WithName("exporter.otlp.headers")
    Optional<String> headers();

    @Setting(value = "How long a request to it may take.", form = "ms, 1 to 600000")
    @WithName("exporter.otlp.timeout")
    @WithDefault("10000")
    Optional<String> timeout();

    @Setting(value = "How requests are compressed.", form = "`none`, `gzip`")
    @WithName("exporter.otlp.compression")
    @WithDefault("none")
    Optional<String> compression();

    @Setting(
            value = "PEM with the authorities that vouch for the collector, in place of those of the JVM.",
            form = "path")
    @WithName("exporter.otlp.certificate")
    Optional<String> certificate();

    @Setting(
            value = "PEM with the certificate that this process shows to the collector (mTLS), with its chain.",
            form = "path")
    @WithName("exporter.otlp.client.certificate")
    Optional<String> clientCertificate();

    @Setting(value = "PEM with the private key of that certificate, in PKCS #8.", form = "path")
    @WithName("exporter.otlp.client.key")
    Optional<String> clientKey();

    @Setting("What the spans are shown under.")
    @WithName("service.name")
    @WithDefault("taskexec")
    Optional<String> serviceName();

    @Setting(
            value = "What else all spans of this process say, percent-encoded.",
            form = "`name=value`, list with commas")
    @WithName("resource.attributes")
    Optional<String> resourceAttributes();

    @Setting(
            value = "How traces that begin here are sampled.",
            form = "also `parentbased_always_on`, `parentbased_always_off`")
    @WithName("traces.sampler")
    @WithDefault("parentbased_traceidratio")
    Optional<String> sampler();

    @Setting(value = "Which part of them is recorded, with a ratio. The same in all processes.", form = "0 to 1")
    @WithName("traces.sampler.arg")
    @WithDefault("1")
    Optional<String> samplerArg();

    @Setting(value = "Whether nothing is exported, whatever the others say.", form = "`true`, `false`")
    @WithName("sdk.disabled")
    @WithDefault("false")
    Optional<String> disabled();
}
