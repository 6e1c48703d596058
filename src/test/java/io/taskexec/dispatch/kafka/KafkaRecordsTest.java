package io.taskexec.dispatch.kafka;

import static io.taskexec.dispatch.kafka.KafkaTestBed.DELIVERY;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.KafkaMessage;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KafkaRecordsTest {
    private static final Delivery EVENT = new Delivery(
            DELIVERY.executionId(),
            DELIVERY.jobId(),
            1,
            DELIVERY.scheduledFor(),
            null,
            new DeliveryExtras(null, new DeliveryExtras.CloudEvent("/taskexec", "order")));

    @Test
    void aCloudEventHasOneContentTypeWhereItHasAValue() {
        assertThat(contentTypes(Map.of(), "1", EVENT)).containsExactly("content-type: application/json");
        assertThat(contentTypes(Map.of("Content-Type", "text/json"), "1", EVENT))
                .containsExactly("Content-Type: text/json");
        assertThat(contentTypes(Map.of(), null, EVENT)).isEmpty();
        assertThat(contentTypes(Map.of(), "1", DELIVERY)).isEmpty();
    }

    private static List<String> contentTypes(Map<String, String> headers, @Nullable String value, Delivery delivery) {
        var message = new KafkaMessage("a:1", "t", "k", value, headers, "all", null, Duration.ofSeconds(1));
        return Arrays.stream(KafkaRecords.of(message, delivery).headers().toArray())
                .filter(header -> header.key().equalsIgnoreCase("content-type"))
                .map(header -> header.key() + ": " + new String(header.value(), UTF_8))
                .toList();
    }
}
