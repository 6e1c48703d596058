package io.taskexec.observe.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jboss.logging.Logger;

/**
 * Sends the spans that wait to the collector, a batch at a time. A batch that it refuses with a retryable error is sent
 * again; what comes in the meantime waits as long as there is room. An outage is logged once when it begins and once
 * when it is over.
 */
final class SpanExport implements Duty {
    private static final Logger LOG = Logger.getLogger(SpanExport.class);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    private final Vertx vertx;
    private final SpanQueue queue;
    private final SpanExporter exporter;
    private final Resource resource;
    private final Duration patience;
    private List<EndedSpan> batch = List.of();
    private boolean isFailing;

    /** @param timeout of one request; the exporter keeps it, but not while it reads an answer that never ends */
    SpanExport(Vertx vertx, SpanQueue queue, SpanExporter exporter, Resource resource, Duration timeout) {
        this.vertx = vertx;
        this.queue = queue;
        this.exporter = exporter;
        this.resource = resource;
        this.patience = timeout.plusSeconds(1);
    }

    @Override
    public Uni<Duration> runOnce() {
        if (batch.isEmpty()) {
            batch = queue.take();
        }
        return batch.isEmpty() ? Uni.createFrom().item(BETWEEN_LOOKS) : send();
    }

    /** Sends what is left once nothing more comes, until the collector does not take something. */
    Uni<Void> flush() {
        return runOnce().chain(_ -> isFailing || (batch.isEmpty() && queue.isEmpty()) ? nothing() : flush());
    }

    /** What is left is lost. */
    void close() {
        queue.dropped(batch.size());
        batch = List.of();
        for (var left = queue.take(); !left.isEmpty(); left = queue.take()) {
            queue.dropped(left.size());
        }
        // It may wait for a request that is under way.
        Thread.ofVirtual().start(exporter::shutdown);
    }

    private static Uni<Void> nothing() {
        return Uni.createFrom().voidItem();
    }

    private Uni<Duration> send() {
        var spans = batch;
        // Not on a thread that begins loops or delivers.
        return Uni.createFrom()
                .completionStage(() -> vertx.executeBlocking(() -> exporter.export(spanData(spans)))
                        .toCompletionStage())
                .chain(SpanExport::completed)
                .ifNoItem()
                .after(patience)
                .fail()
                .map(_ -> taken(spans.size()))
                .onFailure()
                .recoverWithItem(this::refused);
    }

    private static Uni<Void> completed(CompletableResultCode result) {
        return Uni.createFrom()
                .emitter(emitter -> result.whenComplete(() -> {
                    if (result.isSuccess()) {
                        emitter.complete(null);
                    } else {
                        emitter.fail(Objects.requireNonNullElseGet(
                                result.getFailureThrowable(),
                                () -> new IllegalStateException("the exporter has ended")));
                    }
                }));
    }

    private List<SpanData> spanData(List<EndedSpan> spans) {
        return spans.stream()
                .<SpanData>map(span -> new ExportedSpan(span, resource))
                .toList();
    }

    private Duration taken(int count) {
        batch = List.of();
        queue.exported(count);
        if (isFailing) {
            LOG.info("the collector of traces takes spans again");
        }
        isFailing = false;
        return queue.hasBatch() ? Duration.ZERO : BETWEEN_LOOKS;
    }

    private Duration refused(Throwable thrown) {
        var failure = ExportFailure.of(thrown);
        if (!isFailing) {
            LOG.warnf("the collector of traces does not take spans: %s", failure.reason());
        }
        isFailing = true;
        if (!failure.isRetryable()) {
            queue.dropped(batch.size());
            batch = List.of();
        }
        return BETWEEN_TRIES;
    }
}
