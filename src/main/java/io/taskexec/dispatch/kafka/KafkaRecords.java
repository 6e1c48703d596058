package io.taskexec.dispatch.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.taskexec.dispatch.delivery.CloudEventBinding;
import io.taskexec.dispatch.delivery.DeliveryHeaders;
import io.taskexec.dispatch.http.InvalidCallException;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.endpoint.KafkaHeaderRules;
import io.taskexec.model.endpoint.KafkaSpec;
import java.util.Locale;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Makes messages records: texts in UTF-8, the user's headers, then ours. */
final class KafkaRecords {
    private static final String CONTENT_TYPE = "content-type";

    private KafkaRecords() {}

    /**
     * The record for {@code message}.
     *
     * @throws InvalidCallException when its topic is not valid or its headers break {@link KafkaHeaderRules}
     */
    static ProducerRecord<byte[], byte[]> of(KafkaMessage message, Delivery delivery) {
        if (!KafkaSpec.isTopic(message.topic())) {
            throw new InvalidCallException("The topic is not a name that Kafka takes");
        }
        var violation = KafkaHeaderRules.violation(message.headers());
        if (violation != null) {
            throw new InvalidCallException("The headers " + violation);
        }
        var record = new ProducerRecord<byte[], byte[]>(message.topic(), bytes(message.key()), bytes(message.value()));
        message.headers().forEach((name, value) -> add(record, name, value));
        if (delivery.extras().event() != null
                && message.value() != null
                && message.headers().keySet().stream().noneMatch(CONTENT_TYPE::equalsIgnoreCase)) {
            // Kafka protocol binding of CloudEvents, 3.2.1: what the value is.
            add(record, CONTENT_TYPE, "application/json");
        }
        DeliveryHeaders.of(delivery, message.value(), CloudEventBinding.UNDERSCORE)
                .forEach((name, value) -> add(record, name.toLowerCase(Locale.ROOT), value));
        return record;
    }

    private static void add(ProducerRecord<byte[], byte[]> record, String name, String value) {
        record.headers().add(name, value.getBytes(UTF_8));
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }
}
