package io.taskexec.observe.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.opentelemetry.sdk.common.export.MessageWriter;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the collector over gRPC with the HTTP client that is there anyway: the client of the JDK has neither trailers
 * nor HTTP/2 without TLS from the start, and the senders of the SDK bring a client of their own.
 */
final class VertxGrpcSender implements GrpcSender {
    private static final int CONNECT_TIMEOUT_MS = 2_000;

    private final GrpcSenderConfig config;
    private final HttpClient client;

    VertxGrpcSender(Vertx vertx, TraceSettings settings, GrpcSenderConfig config) {
        this.config = config;
        var tls = "https".equals(settings.endpoint().getScheme());
        var options = new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false)
                .setUseAlpn(tls)
                .setSsl(tls)
                .setConnectTimeout(CONNECT_TIMEOUT_MS)
                .setHttp2MaxPoolSize(1);
        if (settings.authorities() != null) {
            options.setTrustOptions(new PemTrustOptions().addCertValue(settings.authorities()));
        }
        if (settings.identity() != null) {
            options.setKeyCertOptions(new PemKeyCertOptions()
                    .setKeyValue(settings.identity().key())
                    .setCertValue(settings.identity().certificate()));
        }
        this.client = vertx.createHttpClient(options);
    }

    /** @param description null when the collector gives none */
    private record Status(GrpcStatusCode code, @Nullable String description) implements GrpcResponse {
        @Override
        public GrpcStatusCode getStatusCode() {
            return code;
        }

        @Override
        public @Nullable String getStatusDescription() {
            return description;
        }

        /** The SDK does not look at it. */
        @Override
        public byte[] getResponseMessage() {
            return new byte[0];
        }
    }

    @Override
    public void send(MessageWriter message, Consumer<GrpcResponse> onResponse, Consumer<Throwable> onError) {
        Buffer frame;
        try {
            frame = frame(message);
        } catch (IOException e) {
            onError.accept(e);
            return;
        }
        client.request(options())
                .compose(request -> request.send(frame))
                .compose(response -> response.end().map(_ -> status(response)))
                .onComplete(onResponse::accept, onError::accept);
    }

    /** A byte that says whether the message is compressed, four with its length, and the message. */
    private Buffer frame(MessageWriter message) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var compressor = config.getCompressor();
        try (var out = compressor == null ? bytes : compressor.compress(bytes)) {
            message.writeMessage(out);
        }
        return Buffer.buffer()
                .appendByte((byte) (compressor == null ? 0 : 1))
                .appendInt(bytes.size())
                .appendBytes(bytes.toByteArray());
    }

    private RequestOptions options() {
        var endpoint = config.getEndpoint();
        var options = new RequestOptions()
                .setAbsoluteURI(
                        endpoint.getScheme() + "://" + endpoint.getRawAuthority() + "/" + config.getFullMethodName())
                .setMethod(HttpMethod.POST)
                .setTimeout(config.getTimeout().toMillis())
                .putHeader("content-type", "application/grpc")
                .putHeader("te", "trailers");
        if (config.getCompressor() != null) {
            options.putHeader("grpc-encoding", config.getCompressor().getEncoding());
        }
        config.getHeadersSupplier()
                .get()
                .forEach((name, values) -> values.forEach(value -> options.addHeader(name, value)));
        return options;
    }

    /** It comes in the trailers, or in the head of an answer that has nothing else. */
    private static Status status(HttpClientResponse response) {
        var head = response.headers();
        var from = head.contains("grpc-status") ? head : response.trailers();
        var code = from.get("grpc-status");
        return code == null || !code.matches("\\d{1,2}")
                ? new Status(withoutStatus(response.statusCode()), "it answered " + response.statusCode())
                : new Status(GrpcStatusCode.fromValue(Integer.parseInt(code)), from.get("grpc-message"));
    }

    /** As gRPC has it for answers that are not of a gRPC server but, say, of a proxy before it. */
    private static GrpcStatusCode withoutStatus(int status) {
        return switch (status) {
            case 401 -> GrpcStatusCode.UNAUTHENTICATED;
            case 403 -> GrpcStatusCode.PERMISSION_DENIED;
            case 404 -> GrpcStatusCode.UNIMPLEMENTED;
            case 429, 502, 503, 504 -> GrpcStatusCode.UNAVAILABLE;
            default -> GrpcStatusCode.UNKNOWN;
        };
    }

    @Override
    public CompletableResultCode shutdown() {
        var result = new CompletableResultCode();
        client.close().onComplete(_ -> result.succeed());
        return result;
    }
}
