package io.taskexec.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.taskexec.api.ApiException.Detail;
import io.taskexec.template.Namespace;
import io.taskexec.template.Reference;
import io.taskexec.template.Template;
import io.taskexec.template.TemplateSyntaxException;
import io.taskexec.template.TemplateTree;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses the templates of a spec and gathers what they refer to. Throws an {@link ApiException} for the first one that is
 * malformed or uses what its field may not use.
 */
final class SpecTemplates {
    private final Set<Reference> references = new HashSet<>();

    /** Whether there is a text and it is no template, so that it can be checked as what it says. */
    static boolean isLiteral(String text) {
        return !text.isEmpty() && !text.contains("{{");
    }

    /** What all templates so far refer to. */
    Set<Reference> references() {
        return references;
    }

    /** A template that may use these namespaces, or all when none are given. */
    @CanIgnoreReturnValue
    Template text(String field, String text, Namespace... allowed) {
        var template = parsed(field, () -> Template.parse(text));
        if (allowed.length > 0) {
            template.references().forEach(reference -> checkAllowed(field, reference, List.of(allowed)));
        }
        references.addAll(template.references());
        return template;
    }

    /** Templates that may use everything. */
    void texts(String field, Map<String, String> texts) {
        texts.values().forEach(text -> text(field, text));
    }

    /** A tree that may use everything, when there is one. */
    void tree(String field, @Nullable JsonNode tree) {
        if (tree != null) {
            references.addAll(parsed(field, () -> TemplateTree.parse(tree)).references());
        }
    }

    private static void checkAllowed(String field, Reference reference, List<Namespace> allowed) {
        if (!allowed.contains(reference.namespace())) {
            var words = allowed.stream().map(n -> "{{" + n + ".*}}").collect(Collectors.joining(" and "));
            throw refused(field, "In '" + field + "', only " + words + " may be used, and not {{" + reference + "}}.");
        }
    }

    private static <T> T parsed(String field, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (TemplateSyntaxException e) {
            throw refused(field, String.valueOf(e.getMessage()));
        }
    }

    /** The answer to a template that cannot stand where it does. */
    static ApiException refused(String field, String sentence) {
        var detail = new Detail("/spec/" + field, sentence);
        return new ApiException(ErrorCode.TEMPLATE_RESOLUTION_FAILED, sentence, List.of(detail));
    }
}
