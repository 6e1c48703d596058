package io.taskexec.template;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The reference of a placeholder; its string form is the placeholder without the braces, as in {@code input.user.name}.
 *
 * @param path at least one step; for a secret, exactly its name
 */
public record Reference(Namespace namespace, List<Step> path) {
    /** The values of the job itself: its id, and the time that it was meant to run at. */
    public static final List<String> OF_JOB = List.of("id", "scheduled_for");

    /** What there is of the run of a workflow. */
    public static final List<String> OF_WORKFLOW = List.of("input", "context");

    /** Throws IllegalArgumentException when the path does not fit the namespace. */
    public Reference {
        path = List.copyOf(path);
        if (path.isEmpty()) {
            throw new IllegalArgumentException("'" + namespace + "' alone is not a value: name one of its members");
        }
        if (namespace == Namespace.SECRET && (path.size() > 1 || !(path.getFirst() instanceof Step.Name))) {
            throw new IllegalArgumentException("a secret has no members: write {{secret.name}}");
        }
        if (namespace == Namespace.JOB
                && (path.size() > 1 || !(path.getFirst() instanceof Step.Name(var name) && OF_JOB.contains(name)))) {
            throw new IllegalArgumentException("of a job there are {{job.id}} and {{job.scheduled_for}}");
        }
        if (namespace == Namespace.WORKFLOW
                && !(path.getFirst() instanceof Step.Name(var name) && OF_WORKFLOW.contains(name))) {
            throw new IllegalArgumentException("of a workflow there are {{workflow.input}} and {{workflow.context}}");
        }
        if (namespace == Namespace.PARENTS && !(path.getFirst() instanceof Step.Name)) {
            throw new IllegalArgumentException("a parent has a name: write {{parents.name.output}}");
        }
    }

    /** The name of the secret that this refers to, null when it refers to none. */
    public @Nullable String secretName() {
        return namespace == Namespace.SECRET && path.getFirst() instanceof Step.Name(var name) ? name : null;
    }

    /** The name of the parent that this refers to, null when it refers to none. */
    public @Nullable String parentName() {
        return namespace == Namespace.PARENTS && path.getFirst() instanceof Step.Name(var name) ? name : null;
    }

    /** Whether this refers to what the jobs of a workflow have answered. */
    public boolean isOfContext() {
        return namespace == Namespace.WORKFLOW
                && path.getFirst() instanceof Step.Name(var name)
                && name.equals("context");
    }

    /** The names of the secrets among {@code references}. */
    public static Set<String> secretNames(Collection<Reference> references) {
        return references.stream()
                .flatMap(reference -> Stream.ofNullable(reference.secretName()))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns why it has no value in {@code scope}; null when it has one. */
    public @Nullable String problem(Scope scope) {
        try {
            var _ = Lookup.find(this, scope);
            return null;
        } catch (UnresolvableException e) {
            return e.getMessage();
        }
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
