package io.taskexec.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a placeholder refers to; its string form is the placeholder without the braces, as in {@code input.user.name}.
 *
 * @param path at least one step; for a secret, exactly its name
 */
public record Reference(Namespace namespace, List<Step> path) {
    /** Throws IllegalArgumentException when the path does not fit the namespace. */
    public Reference {
        path = List.copyOf(path);
        if (path.isEmpty()) {
            throw new IllegalArgumentException("'" + namespace + "' alone is not a value: name one of its members");
        }
        if (namespace == Namespace.SECRET && (path.size() > 1 || !(path.getFirst() instanceof Step.Name))) {
            throw new IllegalArgumentException("a secret has no members: write {{secret.name}}");
        }
    }

    /** The name of the secret that this refers to, null when it refers to none. */
    public @Nullable String secretName() {
        return namespace == Namespace.SECRET && path.getFirst() instanceof Step.Name(var name) ? name : null;
    }

    /** The string form of the first {@code steps} steps. */
    String prefix(int steps) {
        var text = new StringBuilder(namespace.toString());
        path.subList(0, steps).forEach(text::append);
        return text.toString();
    }

    @Override
    public String toString() {
        return prefix(path.size());
    }
}
