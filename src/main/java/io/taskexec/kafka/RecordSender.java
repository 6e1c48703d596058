package io.taskexec.kafka;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Sends records over a producer that is made for the first record, and made anew after {@link #close}. Whatever fails
 * is a {@link KafkaException}.
 */
final class RecordSender implements AutoCloseable {
    private final Supplier<Producer<byte[], byte[]>> connect;
    private @Nullable Producer<byte[], byte[]> producer;

    RecordSender(Supplier<Producer<byte[], byte[]>> connect) {
        this.connect = connect;
    }

    /** Returns what {@link #await} takes. */
    Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
        if (producer == null) {
            producer = connect.get();
        }
        return producer.send(record);
    }

    /** Returns when all replicas have a record. */
    static void await(Future<RecordMetadata> sent) {
        try {
            var _ = sent.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException failure ? failure : new KafkaException(e.getCause());
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    /** Gives up what is not acknowledged. */
    @Override
    public void close() {
        if (producer != null) {
            producer.close(Duration.ZERO);
            producer = null;
        }
    }
}
