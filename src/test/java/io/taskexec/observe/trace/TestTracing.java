package io.taskexec.observe.trace;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.Switch;
import io.taskexec.testing.TestDb;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Tracing with the settings of a test. */
public final class TestTracing {
    private TestTracing() {}

    /** Without a collector. */
    public static Tracing off() {
        return with(Map.of(), new LoopTimer(), new SimpleMeterRegistry());
    }

    /** @param settings names as in the environment, with their values */
    static Tracing with(Map<String, String> settings, LoopTimer timer, MeterRegistry metrics) {
        return new Tracing(config(settings), TestDb.vertx(), timer, metrics, "1.2.3");
    }

    static TraceConfig config(Map<String, String> settings) {
        return new Given(settings);
    }

    private record Given(Map<String, String> settings) implements TraceConfig {
        private Optional<String> given(String name) {
            return Optional.ofNullable(settings.get("OTEL_" + name));
        }

        @Override
        public Optional<String> endpoint() {
            return given("EXPORTER_OTLP_ENDPOINT");
        }

        @Override
        public Optional<String> tracesEndpoint() {
            return given("EXPORTER_OTLP_TRACES_ENDPOINT");
        }

        @Override
        public String tracesExporter() {
            return given("TRACES_EXPORTER").orElse("otlp");
        }

        @Override
        public String protocol() {
            return given("EXPORTER_OTLP_PROTOCOL").orElse("http/json");
        }

        @Override
        public Optional<String> headers() {
            return given("EXPORTER_OTLP_HEADERS");
        }

        @Override
        public Optional<String> certificate() {
            return given("EXPORTER_OTLP_CERTIFICATE");
        }

        @Override
        public String serviceName() {
            return given("SERVICE_NAME").orElse("taskexec");
        }

        @Override
        public Optional<String> resourceAttributes() {
            return given("RESOURCE_ATTRIBUTES");
        }

        @Override
        public String sampler() {
            return given("TRACES_SAMPLER").orElse("parentbased_traceidratio");
        }

        @Override
        public double samplerArg() {
            return given("TRACES_SAMPLER_ARG").map(Double::parseDouble).orElse(1.0);
        }

        @Override
        public Switch disabled() {
            return given("SDK_DISABLED")
                    .map(word -> Switch.valueOf(word.toUpperCase(Locale.ROOT)))
                    .orElse(Switch.FALSE);
        }
    }
}
