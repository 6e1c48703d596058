package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.endpoint.KafkaSecurity;
import io.taskexec.model.endpoint.KafkaSecurity.Protocol;
import io.taskexec.request.Choice;
import io.taskexec.request.Fields;
import io.taskexec.request.spec.SpecTemplates;
import io.taskexec.template.Namespace;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads and checks how the cluster of a Kafka endpoint is connected to. */
final class KafkaSecurityRequests {
    private static final String FIELD = "security";
    private static final List<String> OF_SASL = List.of("mechanism", "username", "password");
    private static final List<String> OF_TLS = List.of("ca_certificates", "client_certificate", "client_key");

    /** Fields whose values are secret and need a template. */
    private static final Set<String> SECRET = Set.of("password", "client_key");

    private KafkaSecurityRequests() {}

    static @Nullable KafkaSecurity read(Fields spec) {
        var given = spec.optionalTree(FIELD);
        if (!(given instanceof ObjectNode)) {
            if (given != null) {
                spec.violation(FIELD, "must be an object");
            }
            return null;
        }
        var fields = spec.fields(FIELD);
        var protocol = fields.choice("protocol", Protocol.class);
        var security = new KafkaSecurity(
                protocol,
                mechanism(fields),
                fields.optionalText("username"),
                fields.optionalText("password"),
                fields.optionalText("ca_certificates"),
                fields.optionalText("client_certificate"),
                fields.optionalText("client_key"));
        checkRelations(fields, protocol);
        fields.checkNested();
        return security;
    }

    private static @Nullable String mechanism(Fields fields) {
        var mechanism = fields.optionalTree("mechanism");
        if (mechanism == null) {
            return null;
        }
        if (!mechanism.isTextual() || !KafkaSecurity.MECHANISMS.contains(mechanism.textValue())) {
            fields.violation("mechanism", "must be " + Choice.oneOf(mechanism.asText(), KafkaSecurity.MECHANISMS));
        }
        return mechanism.asText();
    }

    private static void checkRelations(Fields fields, Protocol protocol) {
        for (var field : OF_SASL) {
            var isGiven = fields.optionalTree(field) != null;
            if (isGiven != protocol.hasSasl()) {
                fields.violation(field, isGiven ? "needs a protocol with SASL" : "is required by the protocol");
            }
        }
        for (var field : OF_TLS) {
            if (fields.optionalTree(field) != null && !protocol.hasTls()) {
                fields.violation(field, "needs a protocol with SSL");
            }
        }
        var hasCertificate = fields.optionalTree("client_certificate") != null;
        var hasKey = fields.optionalTree("client_key") != null;
        if (hasCertificate != hasKey) {
            fields.violation(hasKey ? "client_certificate" : "client_key", "is required by the other one");
        }
    }

    /** Hands the templates of {@code security} to {@code templates}. */
    static void parse(KafkaSecurity security, SpecTemplates templates) {
        security.forEachTemplate((name, text) -> {
            var field = FIELD + "/" + name;
            var template = templates.text(field, text, Namespace.CONFIG, Namespace.SECRET);
            var hasSecret = template.references().stream().anyMatch(it -> it.namespace() == Namespace.SECRET);
            if (SECRET.contains(name) && !hasSecret) {
                throw templates.refused(field, "'" + field + "' must have a {{secret.*}}, which is nowhere shown.");
            }
        });
    }
}
