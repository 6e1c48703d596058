package io.taskexec.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceSettingsTest {
    private static final Map<String, String> COLLECTOR = Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318");
    private static final int TRACES = 10_000;

    private static TraceSettings settings(Map<String, String> given) {
        var all = new HashMap<>(COLLECTOR);
        all.putAll(given);
        return TraceSettings.of(TestTracing.config(all), new LenientReader()).orElseThrow();
    }

    private static boolean isOn(Map<String, String> given) {
        return TraceSettings.of(TestTracing.config(given), new LenientReader()).isPresent();
    }

    @Test
    void thePathIsPutBehindTheAddressUnlessItIsGiven() {
        assertThat(settings(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/"))
                        .endpoint())
                .hasToString("http://collector:4318/v1/traces");
        assertThat(settings(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector/otlp"))
                        .endpoint())
                .hasToString("https://collector/otlp");
        assertThat(settings(Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")).endpoint())
                .hasToString("http://collector:4318");
    }

    @Test
    void nothingIsExportedWithoutAnAddressOrWhenItIsSwitchedOff() {
        assertThat(isOn(COLLECTOR)).isTrue();
        assertThat(isOn(Map.of())).isFalse();
        assertThat(isOn(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", "OTEL_SDK_DISABLED", "TRUE")))
                .isFalse();
        assertThat(isOn(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", "OTEL_TRACES_EXPORTER", "none")))
                .isFalse();
    }

    @Test
    void whereNothingIsExportedNothingIsWrong() {
        var unusable = new HashMap<>(Map.of("OTEL_TRACES_SAMPLER", "always_on", "OTEL_RESOURCE_ATTRIBUTES", "a"));
        assertThat(Tracing.warnings(TestTracing.config(unusable))).isEmpty();

        unusable.putAll(COLLECTOR);
        assertThat(Tracing.warnings(TestTracing.config(unusable))).hasSize(2);

        unusable.put("OTEL_SDK_DISABLED", "true");
        assertThat(Tracing.warnings(TestTracing.config(unusable))).isEmpty();
    }

    @Test
    void settingsShowNoHeader() {
        assertThat(settings(Map.of("OTEL_EXPORTER_OTLP_HEADERS", "key=s3cret"))).hasToString("http://collector:4318");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OTEL_EXPORTER_OTLP_ENDPOINT    | collector:4318  | http://host:port",
                "OTEL_EXPORTER_OTLP_ENDPOINT    | http://me:s3cret@collector:4318 | go into OTEL_EXPORTER_OTLP_HEADERS",
                "OTEL_EXPORTER_OTLP_ENDPOINT    | http://me:s3 cret@collector     | http://host:port",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT | http://s3cret@collector     | go into OTEL_EXPORTER_OTLP_HEADERS",
                "OTEL_TRACES_EXPORTER           | s3              | must be otlp or none",
                "OTEL_EXPORTER_OTLP_PROTOCOL    | http/json       | must be http/protobuf or grpc",
                "OTEL_EXPORTER_OTLP_HEADERS     | s3cret          | name=value",
                "OTEL_EXPORTER_OTLP_HEADERS     | a=%s3           | percent-encoded",
                "OTEL_EXPORTER_OTLP_TIMEOUT     | s3              | from 1 to 600000",
                "OTEL_EXPORTER_OTLP_TIMEOUT     | 0               | from 1 to 600000",
                "OTEL_EXPORTER_OTLP_COMPRESSION | s3              | must be none or gzip",
                "OTEL_RESOURCE_ATTRIBUTES       | a               | name=value",
                "OTEL_EXPORTER_OTLP_CERTIFICATE | /nowhere.pem    | a file of certificates in PEM",
                "OTEL_EXPORTER_OTLP_CERTIFICATE | pom.xml         | a file of certificates in PEM",
                "OTEL_EXPORTER_OTLP_CLIENT_KEY  | pom.xml         | a private key in PEM",
                "OTEL_SDK_DISABLED              | s3              | must be false or true",
                "OTEL_TRACES_SAMPLER            | always_on       | must be parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG        | 1.5             | from 0 to 1",
                "OTEL_TRACES_SAMPLER_ARG        | NaN             | from 0 to 1",
                "OTEL_TRACES_SAMPLER_ARG        | s3              | from 0 to 1",
            })
    void whatCannotBeUsedIsWarnedAboutAndIgnored(String name, String value, String reason) {
        var given = new HashMap<>(COLLECTOR);
        given.put(name, value);

        assertThat(Tracing.warnings(TestTracing.config(given)))
                .singleElement()
                .satisfies(warning -> assertThat(warning)
                        .startsWith(name + " is ignored: ")
                        .contains(reason)
                        .doesNotContain("s3"));
        if (name.equals("OTEL_EXPORTER_OTLP_ENDPOINT")) {
            assertThat(isOn(given)).isFalse();
        } else {
            assertThat(settings(given)).isEqualTo(settings(Map.of()));
        }
    }

    @Test
    void aKeyNeedsItsCertificate(@TempDir Path directory) throws Exception {
        var key = Files.writeString(directory.resolve("key.pem"), "-----BEGIN PRIVATE KEY-----\n");
        var given = new HashMap<>(COLLECTOR);
        given.put("OTEL_EXPORTER_OTLP_CLIENT_KEY", key.toString());

        assertThat(Tracing.warnings(TestTracing.config(given)))
                .singleElement()
                .asString()
                .contains("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http/protobuf", "grpc"})
    void theProtocolDecidesWhichExporterIsBuilt(String protocol) {
        var given = settings(Map.of(
                "OTEL_EXPORTER_OTLP_PROTOCOL", protocol,
                "OTEL_EXPORTER_OTLP_TIMEOUT", "250",
                "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"));
        assertThat(given.timeout()).isEqualTo(Duration.ofMillis(250));

        var exporter = Exporters.of(given, io.taskexec.testing.TestDb.vertx());

        assertThat(exporter.getClass().getSimpleName())
                .isEqualTo(protocol.equals("grpc") ? "OtlpGrpcSpanExporter" : "OtlpHttpSpanExporter");
        assertThat(exporter.toString()).contains("timeoutNanos=250000000", "compressorEncoding=gzip");
    }

    @Test
    void theRatioDecidesAboutTracesThatBeginHere() {
        assertThat(taken("parentbased_traceidratio", "0")).isZero();
        assertThat(taken("parentbased_traceidratio", "1")).isEqualTo(TRACES);
        assertThat(taken("parentbased_traceidratio", "0.25")).isBetween(2_200L, 2_800L);
        assertThat(taken("parentbased_always_off", "1")).isZero();
        assertThat(taken("parentbased_always_on", "0")).isEqualTo(TRACES);
    }

    /** A trace that begins with an execution has the digits of its id, which is a UUID: four bits of it are fixed. */
    private static long taken(String sampler, String ratio) {
        var settings = settings(Map.of("OTEL_TRACES_SAMPLER", sampler, "OTEL_TRACES_SAMPLER_ARG", ratio));
        var random = RandomGenerator.of("L64X128MixRandom");
        return Stream.generate(() -> "01a1f88cd3147000%016x"
                        .formatted((random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L))
                .limit(TRACES)
                .filter(settings::samples)
                .count();
    }
}
