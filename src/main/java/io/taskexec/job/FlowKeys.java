package io.taskexec.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import io.taskexec.template.Template;
import io.taskexec.template.UnresolvableException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Resolves the flow keys of the jobs of an endpoint. */
public final class FlowKeys {
    private final String endpoint;
    private final String template;
    private final Template key;

    /** Each value by itself, to see whether it can be part of a key. */
    private final Map<Reference, Template> values;

    private FlowKeys(String endpoint, String template) {
        this.endpoint = endpoint;
        this.template = template;
        this.key = Template.parse(template);
        this.values = key.references().stream()
                .collect(Collectors.toMap(Function.identity(), reference -> Template.parse("{{" + reference + "}}")));
    }

    /** Returns null for an endpoint without flow control. */
    static @Nullable FlowKeys of(Endpoint endpoint) {
        var flow = endpoint.flow();
        return flow == null ? null : new FlowKeys(endpoint.name(), flow.key() == null ? "" : flow.key());
    }

    /**
     * The key of a job with this input; throws an {@link ApiException} that says why it has none.
     *
     * @param pointer where the input is in the request
     */
    FlowKey of(@Nullable JsonNode input, boolean isTemplate, String pointer) {
        var scope = new Scope(input, null, _ -> null);
        try {
            values.forEach((reference, value) -> {
                if (value.value(scope).isContainerNode()) {
                    throw refusal("'%s' is no text, number or boolean".formatted(reference), pointer);
                }
                if (isTemplate && value.text(scope).contains("{{")) {
                    throw refusal("'%s' is a template, whose value is not known yet".formatted(reference), pointer);
                }
            });
            var text = key.text(scope);
            if (text.codePointCount(0, text.length()) > FlowKey.MAX_LENGTH) {
                throw refusal("it is longer than %d characters".formatted(FlowKey.MAX_LENGTH), pointer);
            }
            return FlowKey.of(endpoint, text);
        } catch (UnresolvableException e) {
            throw refusal(String.valueOf(e.getMessage()), pointer);
        }
    }

    private ApiException refusal(String reason, String pointer) {
        var sentence = "The flow key '%s' of endpoint '%s' has no value: %s".formatted(template, endpoint, reason);
        return new ApiException(
                ErrorCode.TEMPLATE_RESOLUTION_FAILED, sentence + ".", List.of(new Detail(pointer, reason)));
    }
}
