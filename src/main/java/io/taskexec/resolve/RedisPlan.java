package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.taskexec.model.Json;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.endpoint.RedisStreamSpec;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import io.taskexec.template.Template;
import io.taskexec.template.TemplateTree;
import io.taskexec.template.UnresolvableException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The spec of a Redis stream with its templates parsed. */
final class RedisPlan implements RequestPlan {
    private final RedisStreamSpec spec;
    private final RedisUrl url;
    private final Template stream;
    private final TemplateTree fields;
    private final @Nullable Template maxLen;
    private final Set<Reference> references = new HashSet<>();

    RedisPlan(RedisStreamSpec spec) {
        this.spec = spec;
        url = RedisUrl.parse(spec.redisUrl());
        stream = Template.parse(spec.stream());
        fields = TemplateTree.parse(spec.fieldsTemplate());
        maxLen = spec.maxLen() instanceof TextNode text ? Template.parse(text.textValue()) : null;
        references.addAll(url.references());
        references.addAll(stream.references());
        references.addAll(fields.references());
        if (maxLen != null) {
            references.addAll(maxLen.references());
        }
    }

    @Override
    public Set<Reference> references() {
        return references;
    }

    @Override
    public DispatchRequest request(Scope scope) {
        return new StreamEntry(
                url.text(scope),
                stream.text(scope),
                texts(fields.resolve(scope)),
                maxLen(scope),
                spec.approximateTrimming(),
                spec.timeout());
    }

    private static Map<String, String> texts(JsonNode resolved) {
        var texts = LinkedHashMap.<String, String>newLinkedHashMap(resolved.size());
        resolved.properties().forEach(field -> texts.put(field.getKey(), text(field.getKey(), field.getValue())));
        return texts;
    }

    private static String text(String name, JsonNode value) {
        if (value.isNull()) {
            throw new UnresolvableException("The field '" + name + "' resolves to null, which Redis cannot store");
        }
        return value.isTextual() ? value.textValue() : Json.write(value);
    }

    private @Nullable Integer maxLen(Scope scope) {
        var value = maxLen == null ? spec.maxLen() : maxLen.value(scope);
        if (value == null) {
            return null;
        }
        if (!Json.isInt(value) || value.intValue() < 1) {
            throw new UnsendableException(
                    "max_len resolves to something else than a whole number from 1 to " + Integer.MAX_VALUE + ".");
        }
        return value.intValue();
    }
}
