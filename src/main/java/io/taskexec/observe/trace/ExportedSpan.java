package io.taskexec.observe.trace;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationLibraryInfo;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An ended span as the exporters of OpenTelemetry take it. */
final class ExportedSpan implements SpanData {
    private static final InstrumentationScopeInfo SCOPE = InstrumentationScopeInfo.create("io.taskexec");

    private final EndedSpan span;
    private final Resource resource;
    private final SpanContext context;
    private final SpanContext parent;
    private final Attributes attributes;
    private final List<LinkData> links;

    ExportedSpan(EndedSpan span, Resource resource) {
        this.span = span;
        this.resource = resource;
        this.context = context(span.traceId(), span.spanId(), state(span.state()));
        this.parent = span.parentId() == null
                ? SpanContext.getInvalid()
                : context(span.traceId(), span.parentId(), TraceState.getDefault());
        this.attributes = attributes(span.attributes());
        this.links = span.links().stream()
                .map(link -> LinkData.create(context(link.traceId(), link.spanId(), TraceState.getDefault())))
                .toList();
    }

    /** Attributes of texts and numbers. */
    static Attributes attributes(Map<String, ?> values) {
        var attributes = Attributes.builder();
        values.forEach((name, value) -> {
            var _ = value instanceof Number number
                    ? attributes.put(name, number.longValue())
                    : attributes.put(name, value.toString());
        });
        return attributes.build();
    }

    private static SpanContext context(String traceId, String spanId, TraceState state) {
        return SpanContext.create(traceId, spanId, TraceFlags.getSampled(), state);
    }

    private static TraceState state(@Nullable String text) {
        if (text == null) {
            return TraceState.getDefault();
        }
        var state = TraceState.builder();
        // The builder puts each member before the others.
        for (var member : List.of(text.split(",", -1)).reversed()) {
            var middle = member.indexOf('=');
            if (middle > 0) {
                state.put(
                        member.substring(0, middle).strip(),
                        member.substring(middle + 1).strip());
            }
        }
        return state.build();
    }

    @Override
    public String getName() {
        return span.name();
    }

    @Override
    public SpanKind getKind() {
        return SpanKind.valueOf(span.kind().name());
    }

    @Override
    public SpanContext getSpanContext() {
        return context;
    }

    @Override
    public SpanContext getParentSpanContext() {
        return parent;
    }

    @Override
    public StatusData getStatus() {
        return span.error() == null ? StatusData.unset() : StatusData.create(StatusCode.ERROR, span.error());
    }

    @Override
    public long getStartEpochNanos() {
        return ChronoUnit.NANOS.between(Instant.EPOCH, span.start());
    }

    @Override
    public long getEndEpochNanos() {
        return getStartEpochNanos() + span.duration().toNanos();
    }

    @Override
    public Attributes getAttributes() {
        return attributes;
    }

    @Override
    public int getTotalAttributeCount() {
        return attributes.size();
    }

    @Override
    public List<EventData> getEvents() {
        return List.of();
    }

    @Override
    public int getTotalRecordedEvents() {
        return 0;
    }

    @Override
    public List<LinkData> getLinks() {
        return links;
    }

    @Override
    public int getTotalRecordedLinks() {
        return links.size();
    }

    @Override
    public boolean hasEnded() {
        return true;
    }

    @Override
    public Resource getResource() {
        return resource;
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return SCOPE;
    }

    @Override
    @SuppressWarnings("deprecation") // SpanData has it without a default.
    public InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
        return InstrumentationLibraryInfo.create(SCOPE.getName(), null);
    }
}
