package io.taskexec.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceSettingsTest {
    private static final int TRACES = 10_000;

    @Test
    void thePathIsPutBehindTheAddressUnlessItIsGiven() {
        assertThat(target(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/"))
                        .uri())
                .hasToString("http://collector:4318/v1/traces");
        assertThat(target(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector/otlp"))
                        .uri())
                .hasToString("https://collector/otlp");
    }

    private static Target target(Map<String, String> settings) {
        return Objects.requireNonNull(Target.of(TestTracing.config(settings)));
    }

    @Test
    void nothingIsExportedWithoutAnAddressOrWhenItIsSwitchedOff() {
        assertThat(Target.of(TestTracing.config(Map.of()))).isNull();
        assertThat(Target.of(TestTracing.config(
                        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", "OTEL_SDK_DISABLED", "true"))))
                .isNull();
        assertThat(Target.of(TestTracing.config(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", "OTEL_TRACES_EXPORTER", "none"))))
                .isNull();
    }

    @Test
    void whereNothingIsExportedNothingIsWrong() {
        var unusable = new HashMap<>(Map.of("OTEL_TRACES_SAMPLER", "always_on", "OTEL_RESOURCE_ATTRIBUTES", "a"));
        assertThat(Tracing.check(TestTracing.config(unusable))).isFalse();

        unusable.put("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318");
        unusable.put("OTEL_SDK_DISABLED", "true");
        assertThat(Tracing.check(TestTracing.config(unusable))).isFalse();
    }

    @Test
    void aTargetShowsNoHeader() {
        var settings = Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", "OTEL_EXPORTER_OTLP_HEADERS", "key=s3cret");

        assertThat(target(settings)).hasToString("http://collector:4318");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OTEL_EXPORTER_OTLP_ENDPOINT    | collector:4318  | http://host:port",
                "OTEL_EXPORTER_OTLP_ENDPOINT    | http://me:s3cret@collector:4318 | use OTEL_EXPORTER_OTLP_HEADERS",
                "OTEL_EXPORTER_OTLP_ENDPOINT    | http://me:s3 cret@collector     | http://host:port",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT | http://s3cret@collector     | use OTEL_EXPORTER_OTLP_HEADERS",
                "OTEL_TRACES_EXPORTER           | s3              | must be otlp or none",
                "OTEL_EXPORTER_OTLP_PROTOCOL    | grpc            | must be http/json",
                "OTEL_EXPORTER_OTLP_HEADERS     | s3cret          | name=value",
                "OTEL_EXPORTER_OTLP_HEADERS     | a=%s3           | percent-encoded",
                "OTEL_RESOURCE_ATTRIBUTES       | a               | name=value",
                "OTEL_EXPORTER_OTLP_CERTIFICATE | /nowhere.pem    | cannot be read",
                "OTEL_TRACES_SAMPLER            | always_on       | must be parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG        | 1.5             | from 0 to 1",
                "OTEL_TRACES_SAMPLER_ARG        | NaN             | from 0 to 1",
            })
    void whatCannotBeUsedIsExplained(String name, String value, String reason) {
        var settings = new HashMap<>(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318"));
        settings.put(name, value);

        assertThatThrownBy(() -> Tracing.check(TestTracing.config(settings)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason)
                .message()
                .doesNotContain("s3");
    }

    @Test
    void theRatioDecidesAboutTracesThatBeginHere() {
        assertThat(taken("parentbased_traceidratio", "0")).isZero();
        assertThat(taken("parentbased_traceidratio", "1")).isEqualTo(TRACES);
        assertThat(taken("parentbased_traceidratio", "0.25")).isBetween(2_200L, 2_800L);
        assertThat(taken("parentbased_always_off", "1")).isZero();
        assertThat(taken("parentbased_always_on", "0")).isEqualTo(TRACES);
    }

    private static long taken(String sampler, String ratio) {
        var sampling = Sampling.of(
                TestTracing.config(Map.of("OTEL_TRACES_SAMPLER", sampler, "OTEL_TRACES_SAMPLER_ARG", ratio)));
        var random = RandomGenerator.of("L64X128MixRandom");
        return Stream.generate(() -> "%016x%016x".formatted(random.nextLong(), random.nextLong()))
                .limit(TRACES)
                .filter(sampling::takes)
                .count();
    }
}
