package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.DispatchRequest;
import io.taskexec.model.Endpoint;
import io.taskexec.model.HttpCall;
import io.taskexec.model.HttpSpec;
import io.taskexec.model.Json;
import io.taskexec.model.RetryPolicy;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import io.taskexec.template.Template;
import io.taskexec.template.TemplateTree;
import java.net.URI;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One version of an endpoint with its templates parsed. */
final class EndpointPlan {
    private final @Nullable String config;
    private final RetryPolicy retryPolicy;
    private final HttpSpec spec;
    private final Template url;
    private final Map<String, Template> headers = new LinkedHashMap<>();
    private final @Nullable TemplateTree body;
    private final Set<Reference> references = new HashSet<>();

    EndpointPlan(Endpoint endpoint) {
        config = endpoint.config();
        retryPolicy = endpoint.retryPolicy();
        spec = switch (endpoint.spec()) {
            case HttpSpec http -> http;
        };
        url = Template.parse(spec.url());
        spec.headers().forEach((name, value) -> headers.put(name, Template.parse(value)));
        body = spec.bodyTemplate() == null ? null : TemplateTree.parse(spec.bodyTemplate());
        references.addAll(url.references());
        headers.values().forEach(header -> references.addAll(header.references()));
        if (body != null) {
            references.addAll(body.references());
        }
    }

    @Nullable
    String config() {
        return config;
    }

    RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /** The names of the secrets that it needs. */
    Set<String> secrets() {
        return Reference.secretNames(references);
    }

    DispatchRequest request(Scope scope) {
        var resolvedHeaders = new LinkedHashMap<String, String>();
        headers.forEach((name, value) -> resolvedHeaders.put(name, value.text(scope)));
        JsonNode resolvedBody = body == null ? null : body.resolve(scope);
        return new HttpCall(
                URI.create(url.urlText(scope)),
                spec.method(),
                resolvedHeaders,
                Json.text(resolvedBody),
                spec.timeout(),
                spec.expectedStatusCodes());
    }
}
