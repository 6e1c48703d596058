package io.taskexec.kafka;

import io.taskexec.job.JobIngestion;
import io.taskexec.job.JobIngestion.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jboss.logging.Logger;

/**
 * Creates jobs of the records that one connection brings. An offset is committed when everything before it is a job or
 * a dead letter, so that nothing is lost, and what comes twice finds its job by the key, unless it replaces that. While
 * the database cannot be used nothing more is read, and the connection is kept.
 */
final class JobReader implements ConsumerRebalanceListener {
    private static final Logger LOG = Logger.getLogger(JobReader.class);
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(5);
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration LONGEST_ANSWER = Duration.ofMinutes(2);

    private final Consumer<byte[], byte[]> consumer;
    private final JobIngestion intake;
    private final DeadLetters deadLetters;
    private final InboundMetrics metrics;
    private final OutageLog outages =
            new OutageLog(LOG, "jobs of a topic cannot be stored", "jobs of a topic are stored again");

    /** Records that are neither a job nor a dead letter yet. */
    private final List<ConsumerRecord<byte[], byte[]>> open = new ArrayList<>();

    /** From where another process would go on, when nothing is open. */
    private final Map<TopicPartition, OffsetAndMetadata> read = new HashMap<>();

    JobReader(Consumer<byte[], byte[]> consumer, JobIngestion intake, DeadLetters deadLetters, InboundMetrics metrics) {
        this.consumer = consumer;
        this.intake = intake;
        this.deadLetters = deadLetters;
        this.metrics = metrics;
    }

    /**
     * Reads until {@code stopping}; what is not committed then comes again.
     *
     * @param connected called when a broker has answered
     */
    void read(String topic, Runnable connected, BooleanSupplier stopping) {
        // The client itself goes on asking for both without a word.
        if (consumer.partitionsFor(topic, FIRST_ANSWER).isEmpty()) {
            throw new KafkaException("there is no topic '%s'".formatted(topic));
        }
        connected.run();
        consumer.subscribe(List.of(topic), this);
        while (!stopping.getAsBoolean()) {
            add(consumer.poll(POLL));
            while (!open.isEmpty() && !storeAll() && !stopping.getAsBoolean()) {
                // Kept in the group, and asked for nothing more; what a new partition brings first comes all the same.
                consumer.pause(consumer.assignment());
                add(consumer.poll(POLL));
            }
            if (open.isEmpty()) {
                commit();
                consumer.resume(consumer.paused());
            }
        }
    }

    private void commit() {
        if (!read.isEmpty()) {
            consumer.commitSync(read);
            read.clear();
        }
    }

    private void add(ConsumerRecords<byte[], byte[]> records) {
        records.forEach(record -> {
            open.add(record);
            read.put(
                    new TopicPartition(record.topic(), record.partition()), new OffsetAndMetadata(record.offset() + 1));
        });
    }

    /** Whether nothing is left open. */
    private boolean storeAll() {
        var answers = intake.createAll(open, ConsumerRecord::value, ConsumerRecord::key)
                .await()
                .atMost(LONGEST_ANSWER);
        var left = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        var refused = new LinkedHashMap<ConsumerRecord<byte[], byte[]>, Answer.Refused>();
        for (var i = 0; i < answers.size(); i++) {
            var record = open.get(i);
            switch (answers.get(i)) {
                case Answer.Stored(var created) -> metrics.stored(created);
                case Answer.Refused reason -> refused.put(record, reason);
                case Answer.Later(var reason) -> {
                    left.add(record);
                    outages.began(reason);
                }
            }
        }
        if (!deadLetter(refused)) {
            left.addAll(refused.keySet());
        }
        open.clear();
        open.addAll(left);
        if (left.isEmpty()) {
            outages.ended();
        }
        return left.isEmpty();
    }

    private boolean deadLetter(Map<ConsumerRecord<byte[], byte[]>, Answer.Refused> refused) {
        try {
            deadLetters.putAll(refused);
            metrics.refused(refused.size());
            return true;
        } catch (KafkaException e) {
            outages.began(e);
            return false;
        }
    }

    /** The new owner of the partitions reads them again from the committed offset. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        partitions.forEach(read::remove);
        open.removeIf(record -> partitions.contains(new TopicPartition(record.topic(), record.partition())));
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        // They begin where was committed last, by themselves.
    }
}
