package io.taskexec.kafka;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.util.Optional;

/** Settings of the Kafka topics that jobs come from and that events go to. */
@ConfigMapping(prefix = "te")
public interface KafkaConfig {
    @Setting("The topic that the role scheduler [publishes events to](events.md#publishing-to-kafka);"
            + " needs `TE_EVENTS_ENABLED`, and its brokers.")
    Optional<String> eventsKafkaTopic();

    @Setting(value = "The brokers of `TE_EVENTS_KAFKA_TOPIC`.", form = "host:port, list with commas")
    Optional<String> eventsKafkaBootstrapServers();

    @Setting("The topic that the role api [creates jobs from](events.md#jobs-from-kafka); needs its brokers.")
    Optional<String> jobsKafkaTopic();

    @Setting(value = "The brokers of `TE_JOBS_KAFKA_TOPIC`.", form = "host:port, list with commas")
    Optional<String> jobsKafkaBootstrapServers();

    @Setting("The consumer group that all processes share the topic in.")
    @WithDefault("taskexec")
    String jobsKafkaGroup();

    @Setting(
            value = "Where records go that no job can be created from.",
            otherwise = "`TE_JOBS_KAFKA_TOPIC` with `-dead-letter` behind it")
    Optional<String> jobsKafkaDeadLetterTopic();

    /** That topic, or the one that is named after the topic of the jobs. */
    default String deadLetterTopic() {
        return jobsKafkaDeadLetterTopic().orElseGet(() -> jobsKafkaTopic().orElse("jobs") + "-dead-letter");
    }
}
