package io.taskexec.observe.trace;

import io.opentelemetry.exporter.internal.TlsUtil;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of traces as they take effect. The collector's address is the operator's, as that of the database is, so
 * the egress guard has no say in it.
 *
 * @param authorities certificates that vouch for the collector, null for those of the JVM
 * @param identity what this process shows to the collector, null for nothing
 * @param ratio of the traces that begin here, those that are recorded
 */
record TraceSettings(
        URI endpoint,
        boolean grpc,
        Map<String, String> headers,
        Duration timeout,
        String compression,
        @Nullable Buffer authorities,
        @Nullable Identity identity,
        double ratio,
        Map<String, String> resource) {
    private static final String URL =
            "http://host:port or https://host:port; a user and a password go into" + " OTEL_EXPORTER_OTLP_HEADERS";
    private static final int LONGEST_TIMEOUT_MS = 600_000;
    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(10);

    /** The random digits of a trace id are its last 14 (W3C Trace Context, level 2). */
    private static final int RANDOM_FROM = 18;

    private static final double TRACES = 0x1p56;

    /** A private key and its certificate with the chain, both in PEM. */
    record Identity(Buffer key, Buffer certificate) {}

    /** Empty when nothing is to be exported; what is set beside may then be what it likes. */
    static Optional<TraceSettings> of(TraceConfig config, LenientReader reader) {
        if (config.endpoint().or(config::tracesEndpoint).isEmpty()
                || reader.word("OTEL_SDK_DISABLED", config.disabled(), List.of("false", "true"))
                        .equals("true")
                || reader.word("OTEL_TRACES_EXPORTER", config.tracesExporter(), List.of("otlp", "none"))
                        .equals("none")) {
            return Optional.empty();
        }
        var protocol = reader.word("OTEL_EXPORTER_OTLP_PROTOCOL", config.protocol(), List.of("http/protobuf", "grpc"));
        var grpc = protocol.equals("grpc");
        return endpoint(config, grpc, reader)
                .map(endpoint -> new TraceSettings(
                        endpoint,
                        grpc,
                        reader.pairs("OTEL_EXPORTER_OTLP_HEADERS", config.headers()),
                        timeout(config, reader),
                        reader.word("OTEL_EXPORTER_OTLP_COMPRESSION", config.compression(), List.of("none", "gzip")),
                        authorities(config, reader),
                        identity(config, reader),
                        ratio(config, reader),
                        reader.pairs("OTEL_RESOURCE_ATTRIBUTES", config.resourceAttributes())));
    }

    private static Optional<URI> endpoint(TraceConfig config, boolean grpc, LenientReader reader) {
        return reader.read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", config.tracesEndpoint(), URL, TraceSettings::url)
                .or(() -> reader.read(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        config.endpoint(),
                        URL,
                        base -> url(grpc ? base : base.replaceAll("/+$", "") + "/v1/traces")));
    }

    private static URI url(String address) {
        var uri = URI.create(address);
        if (!("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                || uri.getHost() == null
                || uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException();
        }
        return uri;
    }

    private static Duration timeout(TraceConfig config, LenientReader reader) {
        return reader.read("OTEL_EXPORTER_OTLP_TIMEOUT", config.timeout(), "from 1 to 600000", text -> {
                    var ms = Integer.parseInt(text);
                    if (ms < 1 || ms > LONGEST_TIMEOUT_MS) {
                        throw new IllegalArgumentException();
                    }
                    return Duration.ofMillis(ms);
                })
                .orElse(USUAL_TIMEOUT);
    }

    private static @Nullable Buffer authorities(TraceConfig config, LenientReader reader) {
        return reader.read(
                        "OTEL_EXPORTER_OTLP_CERTIFICATE",
                        config.certificate(),
                        "a file of certificates in PEM",
                        file -> {
                            try {
                                var pem = Files.readAllBytes(Path.of(file));
                                var _ = TlsUtil.trustManager(pem);
                                return Buffer.buffer(pem);
                            } catch (IOException e) {
                                throw new IllegalArgumentException(e);
                            }
                        })
                .orElse(null);
    }

    private static @Nullable Identity identity(TraceConfig config, LenientReader reader) {
        return reader.read(
                        "OTEL_EXPORTER_OTLP_CLIENT_KEY",
                        config.clientKey(),
                        "a file with a private key in PEM, of the certificate in OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
                        file -> {
                            try {
                                var key = Files.readAllBytes(Path.of(file));
                                var certificate = Files.readAllBytes(
                                        Path.of(config.clientCertificate().orElse("")));
                                var _ = TlsUtil.keyManager(key, certificate);
                                return new Identity(Buffer.buffer(key), Buffer.buffer(certificate));
                            } catch (IOException e) {
                                throw new IllegalArgumentException(e);
                            }
                        })
                .orElse(null);
    }

    private static double ratio(TraceConfig config, LenientReader reader) {
        var samplers = List.of("parentbased_traceidratio", "parentbased_always_on", "parentbased_always_off");
        return switch (reader.word("OTEL_TRACES_SAMPLER", config.sampler(), samplers)) {
            case "parentbased_always_on" -> 1;
            case "parentbased_always_off" -> 0;
            default ->
                reader.read("OTEL_TRACES_SAMPLER_ARG", config.samplerArg(), "from 0 to 1", text -> {
                            var ratio = Double.parseDouble(text);
                            if (!(ratio >= 0 && ratio <= 1)) {
                                throw new IllegalArgumentException();
                            }
                            return ratio;
                        })
                        .orElse(1.0);
        };
    }

    /**
     * Decides about a trace by its id, so that all processes decide the same. The sampler of the SDK looks at digits
     * that are fixed in ids made of a UUID: it would record none of them at a ratio of a half.
     */
    boolean samples(String traceId) {
        return Long.parseLong(traceId, RANDOM_FROM, traceId.length(), 16) >= (long) ((1 - ratio) * TRACES);
    }

    /** Without the headers and the path, so that no token gets into a log. */
    @Override
    public String toString() {
        return endpoint.getScheme() + "://" + endpoint.getRawAuthority();
    }
}
