package io.taskexec.dispatch.kafka;

import org.apache.kafka.clients.producer.internals.ProducerMetadata;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * The topics of a cluster as a producer knows them. Kafka's client has brokers create those that it asks for, where
 * brokers do that at all, and so also what is misspelt; this one does not.
 */
final class ExistingTopics extends ProducerMetadata {
    ExistingTopics(long backoffMs, long mostBackoffMs, long maxAgeMs, long maxIdleMs, LogContext log, Time time) {
        super(backoffMs, mostBackoffMs, maxAgeMs, maxIdleMs, log, new ClusterResourceListeners(), time);
    }

    @Override
    public synchronized MetadataRequest.Builder newMetadataRequestBuilder() {
        return withoutCreation(super.newMetadataRequestBuilder());
    }

    @Override
    public synchronized MetadataRequest.Builder newMetadataRequestBuilderForNewTopics() {
        return withoutCreation(super.newMetadataRequestBuilderForNewTopics());
    }

    private static MetadataRequest.Builder withoutCreation(MetadataRequest.Builder request) {
        return new MetadataRequest.Builder(request.topics(), false);
    }
}
