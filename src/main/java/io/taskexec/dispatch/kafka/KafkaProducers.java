package io.taskexec.dispatch.kafka;

import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.exchange.SharedResources;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;

/** Opens and closes producers. Each has a thread and buffers of its own, and so their number is limited. */
final class KafkaProducers implements SharedResources.Source<KafkaTarget, KafkaConnection> {
    /** The most producers at once. */
    static final int MOST = 64;

    /** After which a producer that is not used is closed. */
    static final Duration IDLE = Duration.ofMinutes(10);

    private static final Logger LOG = Logger.getLogger(KafkaProducers.class);

    private final EgressGuard guard;
    private final AtomicLong names = new AtomicLong();

    KafkaProducers(EgressGuard guard) {
        this.guard = guard;
    }

    /** On a thread of its own, since names are looked up and keys are read. */
    @Override
    public CompletionStage<KafkaConnection> open(KafkaTarget target, Runnable broken) {
        var name = "taskexec-" + names.incrementAndGet();
        var opening = new CompletableFuture<KafkaConnection>();
        var _ = Thread.ofVirtual().name("taskexec-kafka-open").start(() -> {
            try {
                opening.complete(KafkaConnection.open(target, name, guard));
            } catch (Exception e) {
                opening.completeExceptionally(e);
            }
        });
        return opening;
    }

    /** On a thread of its own, since it waits for that of the producer. */
    @Override
    public CompletionStage<Void> close(KafkaConnection producer) {
        var closing = new CompletableFuture<Void>();
        var _ = Thread.ofVirtual().name("taskexec-kafka-close").start(() -> {
            try {
                producer.close();
            } catch (RuntimeException e) {
                LOG.warnf("a Kafka producer could not be closed in good order: %s", e);
            } finally {
                closing.complete(null);
            }
        });
        return closing;
    }
}
