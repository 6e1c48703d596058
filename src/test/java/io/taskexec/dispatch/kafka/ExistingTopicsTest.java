package io.taskexec.dispatch.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.Test;

class ExistingTopicsTest {
    @Test
    void noBrokerIsToCreateATopicThatIsAskedFor() {
        try (var topics = new ExistingTopics(100, 1_000, 300_000, 300_000, new LogContext(), Time.SYSTEM)) {
            topics.add("t", 0);

            for (var request :
                    List.of(topics.newMetadataRequestBuilder(), topics.newMetadataRequestBuilderForNewTopics())) {
                assertThat(request.topics()).containsExactly("t");
                assertThat(request.build(ApiKeys.METADATA.latestVersion()).allowAutoTopicCreation())
                        .isFalse();
            }
        }
    }
}
