package io.taskexec.api.endpoint;

import io.taskexec.model.delivery.HostAndPort;
import io.taskexec.model.endpoint.KafkaHeaderRules;
import io.taskexec.model.endpoint.KafkaSpec;
import io.taskexec.request.Choice;
import io.taskexec.request.Fields;
import io.taskexec.request.spec.HeaderRequests;
import io.taskexec.request.spec.IdentityRequests;
import io.taskexec.request.spec.SpecTemplates;
import io.taskexec.template.Namespace;

/** Reads and checks the spec of a Kafka endpoint. */
final class KafkaSpecRequests {
    private KafkaSpecRequests() {}

    static KafkaSpec read(Fields fields) {
        return new KafkaSpec(
                bootstrapServers(fields),
                topic(fields),
                fields.optionalText("key_template"),
                fields.optionalTree("value_template"),
                HeaderRequests.read(fields, KafkaHeaderRules::violation),
                acks(fields),
                KafkaSecurityRequests.read(fields),
                fields.milliseconds("timeout_ms"),
                IdentityRequests.read(fields));
    }

    private static String bootstrapServers(Fields fields) {
        var servers = fields.text("bootstrap_servers");
        if (SpecTemplates.isLiteral(servers)) {
            var read = HostAndPort.ofList(servers);
            if (read == null) {
                fields.violation("bootstrap_servers", "must be host:port, or several of them separated by commas");
            } else if (read.size() > KafkaSpec.MAX_SERVERS) {
                fields.violation("bootstrap_servers", "must be at most " + KafkaSpec.MAX_SERVERS);
            }
        }
        return servers;
    }

    private static String topic(Fields fields) {
        var topic = fields.text("topic");
        if (SpecTemplates.isLiteral(topic) && !KafkaSpec.isTopic(topic)) {
            fields.violation("topic", "must be a topic's name: 1 to 249 of A-Z, a-z, 0-9, '.', '_' and '-'");
        }
        return topic;
    }

    private static String acks(Fields fields) {
        var acks = fields.optionalTree("acks");
        if (acks == null) {
            return KafkaSpec.DEFAULT_ACKS;
        }
        if (!acks.isTextual() || !KafkaSpec.ACKS.contains(acks.textValue())) {
            fields.violation(
                    "acks",
                    "must be one of the strings " + Choice.list(KafkaSpec.ACKS)
                            + Choice.hint(acks.asText(), KafkaSpec.ACKS));
        }
        return acks.asText();
    }

    /** Hands the templates of {@code spec} to {@code templates}. */
    static void parse(KafkaSpec spec, SpecTemplates templates) {
        templates.text("bootstrap_servers", spec.bootstrapServers(), Namespace.CONFIG, Namespace.SECRET);
        templates.text("topic", spec.topic(), Namespace.CONFIG);
        if (spec.keyTemplate() != null) {
            templates.text(
                    "key_template",
                    spec.keyTemplate(),
                    Namespace.INPUT,
                    Namespace.CONFIG,
                    Namespace.PARENTS,
                    Namespace.JOB);
        }
        templates.tree("value_template", spec.valueTemplate());
        templates.texts("headers", spec.headers());
        if (spec.security() != null) {
            KafkaSecurityRequests.parse(spec.security(), templates);
        }
    }
}
