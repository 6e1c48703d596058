package io.taskexec.observe.trace;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import io.taskexec.model.Setting;
import io.taskexec.model.Switch;
import java.util.Optional;

/** Settings of traces, under the names that all programs with OpenTelemetry have. */
@ConfigMapping(prefix = "otel")
public interface TraceConfig {
    @Setting(
            value = "Where the collector is, such as `http://collector:4318`; `/v1/traces` is put behind it. Without it"
                    + " nothing is exported.",
            form = "a URL",
            shown = Setting.Shown.WITHOUT_PASSWORD)
    @WithName("exporter.otlp.endpoint")
    Optional<String> endpoint();

    @Setting(
            value = "The same with its path, in place of the other.",
            form = "a URL",
            shown = Setting.Shown.WITHOUT_PASSWORD)
    @WithName("exporter.otlp.traces.endpoint")
    Optional<String> tracesEndpoint();

    @Setting(value = "Where spans go; `none` is nowhere.", form = "`otlp`, `none`")
    @WithName("traces.exporter")
    @WithDefault("otlp")
    String tracesExporter();

    @Setting(
            value = "What is spoken. Collectors take it at the same address as `http/protobuf`, and gRPC at another.",
            form = "`http/json`")
    @WithName("exporter.otlp.protocol")
    @WithDefault("http/json")
    String protocol();

    @Setting(
            value = "Headers of each request to it, percent-encoded.",
            form = "`name=value`, list with commas",
            file = true,
            shown = Setting.Shown.NOTHING)
    @WithName("exporter.otlp.headers")
    Optional<String> headers();

    @Setting(
            value = "PEM with the authorities that vouch for the collector, in place of those of the JVM.",
            form = "path")
    @WithName("exporter.otlp.certificate")
    Optional<String> certificate();

    @Setting("What the spans are shown under.")
    @WithName("service.name")
    @WithDefault("taskexec")
    String serviceName();

    @Setting(
            value = "What else all spans of this process say, percent-encoded.",
            form = "`name=value`, list with commas")
    @WithName("resource.attributes")
    Optional<String> resourceAttributes();

    @Setting(
            value = "How it is decided about traces that begin here.",
            form = "also `parentbased_always_on`, `parentbased_always_off`")
    @WithName("traces.sampler")
    @WithDefault("parentbased_traceidratio")
    String sampler();

    @Setting(value = "Which part of them is recorded, with a ratio. The same in all processes.", min = 0, max = 1)
    @WithName("traces.sampler.arg")
    @WithDefault("1")
    double samplerArg();

    @Setting("Whether nothing is exported, whatever the others say.")
    @WithName("sdk.disabled")
    @WithDefault("false")
    Switch disabled();
}
