package io.taskexec.observe.trace;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The collector that spans are sent to. Its address is the operator's, as that of the database is, so the egress guard has
 * no say in it.
 *
 * @param certificate the file with the authorities that vouch for it, null for those of the JVM
 */
record Target(
        URI uri, Map<String, String> headers, @Nullable String certificate) {
    /**
     * Gives null when nothing is to be exported.
     *
     * @throws IllegalArgumentException with the reason when the settings cannot be used
     */
    static @Nullable Target of(TraceConfig config) {
        var address = config.tracesEndpoint()
                .or(() -> config.endpoint().map(base -> base.replaceAll("/+$", "") + "/v1/traces"));
        if (config.disabled().isOn()
                || address.isEmpty()
                || config.tracesExporter().equals("none")) {
            return null;
        }
        if (!config.tracesExporter().equals("otlp")) {
            throw new IllegalArgumentException("OTEL_TRACES_EXPORTER must be otlp or none");
        }
        if (!config.protocol().equals("http/json")) {
            throw new IllegalArgumentException(
                    "OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, which collectors take where they take http/protobuf");
        }
        var certificate = config.certificate().orElse(null);
        if (certificate != null && !Files.isReadable(Path.of(certificate))) {
            throw new IllegalArgumentException("OTEL_EXPORTER_OTLP_CERTIFICATE names a file that cannot be read");
        }
        return new Target(parse(address.get()), Pairs.of("OTEL_EXPORTER_OTLP_HEADERS", config.headers()), certificate);
    }

    /** The address is in no message: somebody may have put a password into it. */
    private static URI parse(String address) {
        var uri = uri(address);
        if (uri == null
                || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                || uri.getHost() == null) {
            throw new IllegalArgumentException(
                    "OTEL_EXPORTER_OTLP_ENDPOINT must be http://host:port or https://host:port");
        }
        if (uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "OTEL_EXPORTER_OTLP_ENDPOINT must have no user and no password; use OTEL_EXPORTER_OTLP_HEADERS");
        }
        return uri;
    }

    private static @Nullable URI uri(String address) {
        try {
            return new URI(address);
        } catch (URISyntaxException _) {
            return null;
        }
    }

    boolean tls() {
        return "https".equals(uri.getScheme());
    }

    /** Without the headers, so that no token gets into a log. */
    @Override
    public String toString() {
        return uri.getScheme() + "://" + uri.getRawAuthority();
    }
}
