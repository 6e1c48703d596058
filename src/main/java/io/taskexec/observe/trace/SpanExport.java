package io.taskexec.observe.trace;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.model.Json;
import io.taskexec.observe.trace.Collector.Refusal;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Sends the spans that wait to the collector, a batch at a time. A batch that it does not take for now is sent again; what
 * comes in the meantime waits as long as there is room. Trouble is told of once when it begins and once when it is over.
 */
final class SpanExport implements Duty {
    private static final Logger LOG = Logger.getLogger(SpanExport.class);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    private final Vertx vertx;
    private final SpanQueue queue;
    private final Collector collector;
    private final OtlpJson json;
    private List<Span> batch = List.of();
    private boolean inTrouble;

    SpanExport(Vertx vertx, SpanQueue queue, Collector collector, OtlpJson json) {
        this.vertx = vertx;
        this.queue = queue;
        this.collector = collector;
        this.json = json;
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
        return runOnce().chain(_ -> inTrouble || (batch.isEmpty() && queue.isEmpty()) ? nothing() : flush());
    }

    /** What is left is lost. */
    void giveUp() {
        queue.dropped(batch.size());
        batch = List.of();
        for (var left = queue.take(); !left.isEmpty(); left = queue.take()) {
            queue.dropped(left.size());
        }
    }

    private static Uni<Void> nothing() {
        return Uni.createFrom().voidItem();
    }

    private Uni<Duration> send() {
        var spans = batch;
        // Not on a thread that begins loops or delivers.
        return Uni.createFrom()
                .completionStage(
                        () -> vertx.executeBlocking(() -> json.write(spans)).toCompletionStage())
                .chain(collector::send)
                .map(answer -> taken(spans.size(), rejected(answer)))
                .onFailure()
                .recoverWithItem(this::refused);
    }

    private Duration taken(int count, int rejected) {
        batch = List.of();
        queue.exported(count - rejected);
        queue.dropped(rejected);
        if (inTrouble) {
            LOG.info("the collector of traces takes spans again");
        }
        inTrouble = false;
        return queue.hasBatch() ? Duration.ZERO : BETWEEN_LOOKS;
    }

    private Duration refused(Throwable failure) {
        if (!inTrouble) {
            LOG.warnf("the collector of traces does not take spans: %s", failure);
        }
        inTrouble = true;
        if (failure instanceof Refusal refusal && !refusal.isForNow()) {
            queue.dropped(batch.size());
            batch = List.of();
        }
        return BETWEEN_TRIES;
    }

    /** A collector that takes only some of the spans says how many it does not. */
    private static int rejected(String answer) {
        try {
            return answer.isEmpty()
                    ? 0
                    : Json.parse(answer)
                            .path("partialSuccess")
                            .path("rejectedSpans")
                            .asInt();
        } catch (JsonProcessingException _) {
            return 0;
        }
    }
}
