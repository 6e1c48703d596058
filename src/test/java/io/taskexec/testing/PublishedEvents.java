package io.taskexec.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The events in a topic, in which some may be twice. */
public final class PublishedEvents {
    private PublishedEvents() {}

    /**
     * Waits until a topic has so many different events; gives them by their ids, those of each execution in the order
     * of their first copies. Fails when that is not the order of their ids.
     */
    public static Map<Long, JsonNode> of(KafkaBroker broker, String topic, int count) {
        var records = broker.records(topic, count);
        var events = firstCopies(records);
        while (events.size() < count) {
            var more = broker.records(topic, records.size() + 1);
            assertThat(more).as("the topic has %s", events.keySet()).hasSizeGreaterThan(records.size());
            records = more;
            events = firstCopies(records);
        }
        return events;
    }

    private static Map<Long, JsonNode> firstCopies(List<ConsumerRecord<byte[], byte[]>> records) {
        var events = new LinkedHashMap<Long, JsonNode>();
        var last = new HashMap<String, Long>();
        for (var record : records) {
            var event = Rows.json(new String(record.value(), StandardCharsets.UTF_8));
            var execution = event.get("subject").textValue();
            assertThat(record.key()).asString(StandardCharsets.UTF_8).isEqualTo(execution);
            var id = Long.valueOf(event.get("id").textValue());
            if (events.putIfAbsent(id, event) == null) {
                assertThat(id).isGreaterThan(last.getOrDefault(execution, 0L));
                last.put(execution, id);
            }
        }
        return events;
    }
}
