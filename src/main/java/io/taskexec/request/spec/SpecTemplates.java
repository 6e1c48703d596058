package io.taskexec.request.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.template.Namespace;
import io.taskexec.template.Reference;
import io.taskexec.template.Template;
import io.taskexec.template.TemplateSyntaxException;
import io.taskexec.template.TemplateTree;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses the templates of a spec and gathers what they refer to. Throws an {@link ApiException} for the first one that
 * is malformed or uses what its field may not use.
 */
public final class SpecTemplates {
    private final String place;
    private final Map<String, Template> templates = new LinkedHashMap<>();

    /** Of the spec of an endpoint. */
    public SpecTemplates() {
        this("/spec");
    }

    /** @param place the JSON Pointer of the spec in the request's body */
    SpecTemplates(String place) {
        this.place = place;
    }

    /** Whether there is a text and it is no template, so that it can be checked as what it says. */
    public static boolean isLiteral(String text) {
        return !text.isEmpty() && !text.contains("{{");
    }

    /** The references of all templates so far. */
    public Set<Reference> references() {
        return templates.values().stream()
                .flatMap(template -> template.references().stream())
                .collect(Collectors.toSet());
    }

    /** Hands over all templates so far, each with its JSON Pointer in the request's body. */
    public void forEach(BiConsumer<String, Template> visitor) {
        templates.forEach(visitor);
    }

    /** A template that may use these namespaces, or all when none are given. */
    @CanIgnoreReturnValue
    public Template text(String field, String text, Namespace... allowed) {
        var template = parsed(field, () -> Template.parse(text));
        if (allowed.length > 0) {
            template.references().forEach(reference -> checkAllowed(field, reference, List.of(allowed)));
        }
        templates.put(pointer(field), template);
        return template;
    }

    /** Templates that may use everything. */
    public void texts(String field, Map<String, String> texts) {
        texts.forEach((name, text) -> {
            var place = field + "/" + Fields.escaped(name);
            templates.put(pointer(place), parsed(place, () -> Template.parse(text)));
        });
    }

    /** A tree that may use everything, when there is one. */
    public void tree(String field, @Nullable JsonNode tree) {
        if (tree != null) {
            parsed(field, () -> TemplateTree.parse(tree))
                    .forEach((pointer, template) -> templates.put(pointer(field) + pointer, template));
        }
    }

    private void checkAllowed(String field, Reference reference, List<Namespace> allowed) {
        if (!allowed.contains(reference.namespace())) {
            var words = allowed.stream().map(n -> "{{" + n + ".*}}").collect(Collectors.joining(" and "));
            throw refused(field, "In '" + field + "', only " + words + " may be used, and not {{" + reference + "}}.");
        }
    }

    private <T> T parsed(String field, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (TemplateSyntaxException e) {
            throw refused(field + e.pointer(), String.valueOf(e.getMessage()));
        }
    }

    private String pointer(String field) {
        return place + "/" + field;
    }

    /** The answer to a template that cannot stand where it does. */
    public ApiException refused(String field, String sentence) {
        var detail = new Detail(pointer(field), sentence);
        return new ApiException(ErrorCode.TEMPLATE_RESOLUTION_FAILED, sentence, List.of(detail));
    }
}
