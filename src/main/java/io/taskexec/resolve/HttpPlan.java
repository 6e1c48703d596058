package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.model.delivery.DispatchRequest;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.endpoint.HttpSpec;
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

/** An HTTP spec with its templates parsed. */
final class HttpPlan implements RequestPlan {
    private final HttpSpec spec;
    private final Template url;
    private final Map<String, Template> headers = new LinkedHashMap<>();
    private final @Nullable TemplateTree body;
    private final boolean sendsInput;
    private final @Nullable AccessPlan access;
    private final Set<Reference> references = new HashSet<>();

    /** The URL once it has been read, of an endpoint whose jobs all have the same. */
    private volatile @Nullable URI same;

    HttpPlan(HttpSpec spec) {
        this(spec, false);
    }

    /** @param sendsInput whether the body is the input as it is, when there is no template of it */
    HttpPlan(HttpSpec spec, boolean sendsInput) {
        this.spec = spec;
        this.sendsInput = sendsInput;
        url = Template.parse(spec.url());
        spec.headers().forEach((name, value) -> headers.put(name, Template.parse(value)));
        body = spec.bodyTemplate() == null ? null : TemplateTree.parse(spec.bodyTemplate());
        access = spec.access() == null ? null : new AccessPlan(spec.access());
        references.addAll(url.references());
        headers.values().forEach(header -> references.addAll(header.references()));
        if (body != null) {
            references.addAll(body.references());
        }
        if (access != null) {
            references.addAll(access.references());
        }
    }

    @Override
    public Set<Reference> references() {
        return references;
    }

    @Override
    public DispatchRequest request(Scope scope) {
        JsonNode resolvedBody = body != null ? body.resolve(scope) : sendsInput ? scope.input() : null;
        return new HttpCall(
                uri(scope),
                spec.method(),
                headers(scope),
                Json.text(resolvedBody),
                spec.timeout(),
                spec.expectedStatusCodes(),
                access == null ? null : access.resolve(scope));
    }

    private Map<String, String> headers(Scope scope) {
        if (headers.isEmpty()) {
            return Map.of();
        }
        var resolved = new LinkedHashMap<String, String>();
        headers.forEach((name, value) -> resolved.put(name, value.text(scope)));
        return resolved;
    }

    private URI uri(Scope scope) {
        var known = same;
        if (known != null) {
            return known;
        }
        var uri = URI.create(url.urlText(scope));
        if (url.references().isEmpty()) {
            same = uri;
        }
        return uri;
    }
}
