package io.taskexec.testing;

import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Reads what a collector of traces was sent, over HTTP or over gRPC. */
public final class OtlpRequest {
    /** What stands before a message of gRPC: whether it is compressed, and its length. */
    private static final int PREFIX = 5;

    private OtlpRequest() {}

    public static ExportTraceServiceRequest parse(Received request) {
        try {
            return "application/grpc".equals(request.header("content-type"))
                    ? ExportTraceServiceRequest.parseFrom(message(request.bytes()))
                    : ExportTraceServiceRequest.parseFrom(
                            bytes(request.bytes(), "gzip".equals(request.header("content-encoding"))));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] message(Buffer frame) throws IOException {
        if (frame.getInt(1) != frame.length() - PREFIX) {
            throw new AssertionError("a frame of another length than it says");
        }
        return bytes(frame.getBuffer(PREFIX, frame.length()), frame.getByte(0) == 1);
    }

    private static byte[] bytes(Buffer bytes, boolean compressed) throws IOException {
        if (!compressed) {
            return bytes.getBytes();
        }
        try (var unpacked = new GZIPInputStream(new ByteArrayInputStream(bytes.getBytes()))) {
            return unpacked.readAllBytes();
        }
    }

    public static Stream<Span> spans(Received request) {
        return parse(request).getResourceSpansList().stream()
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .flatMap(scope -> scope.getSpansList().stream());
    }

    /** Attributes with their values as texts. */
    public static Map<String, String> attributes(List<KeyValue> attributes) {
        return attributes.stream().collect(Collectors.toMap(KeyValue::getKey, one -> text(one.getValue())));
    }

    private static String text(AnyValue value) {
        return value.hasIntValue() ? Long.toString(value.getIntValue()) : value.getStringValue();
    }

    /** An id in hexadecimal digits. */
    public static String id(com.google.protobuf.ByteString bytes) {
        return HexFormat.of().formatHex(bytes.toByteArray());
    }
}
