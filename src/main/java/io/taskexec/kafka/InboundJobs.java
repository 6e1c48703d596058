package io.taskexec.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.job.JobIngestion;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.common.KafkaException;
import org.jboss.logging.Logger;

/** Creates jobs of the records of a Kafka topic, on a thread of its own, with a new connection when one has failed. */
@Singleton
public final class InboundJobs {
    private static final Logger LOG = Logger.getLogger(InboundJobs.class);
    private static final Duration BETWEEN_CONNECTIONS = Duration.ofSeconds(2);
    private static final Duration CLOSING = Duration.ofSeconds(3);
    private static final Duration STOPPING = Duration.ofSeconds(10);

    private final KafkaClients clients;
    private final KafkaConfig config;
    private final JobIngestion intake;
    private final MeterRegistry registry;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final OutageLog outages =
            new OutageLog(LOG, "the topic of jobs cannot be read", "the topic of jobs is read again");
    private CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);

    InboundJobs(KafkaClients clients, KafkaConfig config, JobIngestion intake, MeterRegistry registry) {
        this.clients = clients;
        this.config = config;
        this.intake = intake;
        this.registry = registry;
    }

    /** Begins, if there is a topic. */
    public void start() {
        config.jobsKafkaTopic()
                .ifPresent(topic -> ended = CompletableFuture.runAsync(
                        () -> run(topic),
                        Thread.ofPlatform().name("jobs-from-kafka").daemon()::start));
    }

    /**
     * Ends; the result comes when nothing is under way any more, or brokers or the database take too long. What was not
     * committed is read again by another.
     */
    public Uni<Void> stop() {
        stopping.countDown();
        return Uni.createFrom()
                .completionStage(ended.copy().completeOnTimeout(null, STOPPING.toMillis(), TimeUnit.MILLISECONDS));
    }

    private void run(String topic) {
        var metrics = new InboundMetrics(registry);
        try {
            do {
                readUntilItFails(topic, metrics);
            } while (!stopping.await(BETWEEN_CONNECTIONS.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void readUntilItFails(String topic, InboundMetrics metrics) {
        var servers = config.jobsKafkaBootstrapServers().orElseThrow();
        try (var sender = clients.sender(servers)) {
            var deadLetters = new DeadLetters(config.deadLetterTopic(), sender);
            var consumer = clients.consumer(servers, config.jobsKafkaGroup());
            try {
                new JobReader(consumer, intake, deadLetters, metrics)
                        .read(topic, outages::ended, () -> stopping.getCount() == 0);
            } finally {
                consumer.close(CloseOptions.timeout(CLOSING));
            }
        } catch (KafkaException e) {
            outages.began(e);
        } catch (RuntimeException e) {
            LOG.error("the topic of jobs cannot be read, will be tried again", e);
        }
    }
}
