package io.taskexec.stream;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.Optional;

/** Settings of the Kafka topics that jobs come from and that events go to. */
@ConfigMapping(prefix = "te")
public interface StreamConfig {
    /** TE_EVENTS_KAFKA_TOPIC: where the role scheduler publishes events. */
    Optional<String> eventsKafkaTopic();

    /** TE_EVENTS_KAFKA_BOOTSTRAP_SERVERS: the brokers of that topic. */
    Optional<String> eventsKafkaBootstrapServers();

    /** TE_JOBS_KAFKA_TOPIC: what the role api creates jobs from. */
    Optional<String> jobsKafkaTopic();

    /** TE_JOBS_KAFKA_BOOTSTRAP_SERVERS: the brokers of that topic. */
    Optional<String> jobsKafkaBootstrapServers();

    /** TE_JOBS_KAFKA_GROUP: the consumer group that all processes share the topic in. */
    @WithDefault("taskexec")
    String jobsKafkaGroup();

    /** TE_JOBS_KAFKA_DEAD_LETTER_TOPIC: where records go that no job can be created from. */
    Optional<String> jobsKafkaDeadLetterTopic();

    /** That topic, or the one that is named after the topic of the jobs. */
    default String deadLetterTopic() {
        return jobsKafkaDeadLetterTopic().orElseGet(() -> jobsKafkaTopic().orElse("jobs") + "-dead-letter");
    }
}
