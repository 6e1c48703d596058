package io.taskexec.observe.trace;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Spans as OTLP 1 has them in JSON: ids in hexadecimal digits, 64-bit numbers as texts, enumerations as numbers. */
final class OtlpJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int ERROR = 2;
    private static final long NANOS = 1_000_000_000;

    private final ArrayNode resource;

    /** @param resource what is told of this process with all spans */
    OtlpJson(Map<String, Object> resource) {
        this.resource = attributes(resource);
    }

    String write(List<Span> spans) {
        var request = NODES.objectNode();
        var ofResource = request.putArray("resourceSpans").addObject();
        ofResource.putObject("resource").set("attributes", resource);
        var ofScope = ofResource.putArray("scopeSpans").addObject();
        ofScope.putObject("scope").put("name", "io.taskexec");
        var all = ofScope.putArray("spans");
        spans.forEach(span -> all.add(span(span)));
        return Json.write(request);
    }

    private static ObjectNode span(Span span) {
        var node = NODES.objectNode();
        node.put("traceId", span.traceId()).put("spanId", span.spanId());
        if (span.parentId() != null) {
            node.put("parentSpanId", span.parentId());
        }
        if (span.state() != null) {
            node.put("traceState", span.state());
        }
        node.put("name", span.name())
                .put("kind", span.kind().number())
                .put("startTimeUnixNano", nanos(span.start()))
                .put("endTimeUnixNano", nanos(span.start().plus(span.duration())))
                .set("attributes", attributes(span.attributes()));
        if (!span.links().isEmpty()) {
            var links = node.putArray("links");
            span.links()
                    .forEach(link ->
                            links.addObject().put("traceId", link.traceId()).put("spanId", link.spanId()));
        }
        if (span.error() != null) {
            node.putObject("status").put("code", ERROR).put("message", span.error());
        }
        return node;
    }

    private static String nanos(Instant at) {
        return Long.toString(at.getEpochSecond() * NANOS + at.getNano());
    }

    private static ArrayNode attributes(Map<String, Object> attributes) {
        var array = NODES.arrayNode(attributes.size());
        attributes.forEach((name, value) -> {
            var typed = array.addObject().put("key", name).putObject("value");
            if (value instanceof Number number) {
                typed.put("intValue", number.toString());
            } else {
                typed.put("stringValue", value.toString());
            }
        });
        return array;
    }
}
