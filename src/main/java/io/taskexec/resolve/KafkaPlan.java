package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.endpoint.KafkaSecurity;
import io.taskexec.model.endpoint.KafkaSpec;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import io.taskexec.template.Template;
import io.taskexec.template.TemplateTree;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A Kafka spec with its templates parsed. */
final class KafkaPlan implements RequestPlan {
    private final KafkaSpec spec;
    private final Template bootstrapServers;
    private final Template topic;
    private final @Nullable Template key;
    private final @Nullable TemplateTree value;
    private final Map<String, Template> headers = new LinkedHashMap<>();

    /** By its text, which is how it stands in the spec. */
    private final Map<String, Template> security = new HashMap<>();

    private final Set<Reference> references = new HashSet<>();

    KafkaPlan(KafkaSpec spec) {
        this.spec = spec;
        bootstrapServers = parsed(spec.bootstrapServers());
        topic = parsed(spec.topic());
        key = spec.keyTemplate() == null ? null : parsed(spec.keyTemplate());
        value = spec.valueTemplate() == null ? null : TemplateTree.parse(spec.valueTemplate());
        spec.headers().forEach((name, text) -> headers.put(name, parsed(text)));
        if (spec.security() != null) {
            spec.security().forEachTemplate((name, text) -> security.put(text, parsed(text)));
        }
        if (value != null) {
            references.addAll(value.references());
        }
    }

    private Template parsed(String text) {
        var template = Template.parse(text);
        references.addAll(template.references());
        return template;
    }

    @Override
    public Set<Reference> references() {
        return references;
    }

    @Override
    public DispatchRequest request(Scope scope) {
        var resolvedHeaders = new LinkedHashMap<String, String>();
        headers.forEach((name, text) -> resolvedHeaders.put(name, text.text(scope)));
        JsonNode resolvedValue = value == null ? null : value.resolve(scope);
        return new KafkaMessage(
                bootstrapServers.text(scope),
                topic.text(scope),
                key == null ? null : key.text(scope),
                Json.text(resolvedValue),
                resolvedHeaders,
                spec.acks(),
                security(scope),
                spec.timeout());
    }

    private @Nullable KafkaSecurity security(Scope scope) {
        var templates = spec.security();
        return templates == null
                ? null
                : templates.mapTemplates(
                        text -> Objects.requireNonNull(security.get(text)).text(scope));
    }
}
