package io.taskexec.template;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;

/** A JSON tree whose strings are templates; the names of its members are not. Immutable. */
public final class TemplateTree {
    /** The most levels of objects and arrays that a tree may have. */
    public static final int MAX_DEPTH = 32;

    private final Branch root;
    private final Set<Reference> references;

    private TemplateTree(Branch root) {
        this.root = root;
        var found = new LinkedHashSet<Reference>();
        root.visit("", (_, template) -> found.addAll(template.references()));
        this.references = Collections.unmodifiableSet(found);
    }

    /** Parses every string in {@code tree}; throws TemplateSyntaxException, also when the tree is too deep. */
    public static TemplateTree parse(JsonNode tree) {
        return new TemplateTree(TreeParser.parse(tree));
    }

    /** Its references, in order of first appearance. */
    public Set<Reference> references() {
        return references;
    }

    /** Hands over its templates, each with the JSON Pointer of its string within the tree. */
    public void forEach(BiConsumer<String, Template> visitor) {
        root.visit("", visitor);
    }

    /**
     * The tree with every template replaced by its value. May share nodes with the scope. Throws UnresolvableException,
     * also when the result has more than {@link Template#MAX_CHARACTERS} characters or more than {@value
     * Size#MAX_DEPTH} levels.
     */
    public JsonNode resolve(Scope scope) {
        return root.resolve(scope, new Size());
    }
}
