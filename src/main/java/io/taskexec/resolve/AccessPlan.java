package io.taskexec.resolve;

import io.taskexec.model.endpoint.HttpAccess;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import io.taskexec.template.Template;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The credentials that a receiver is shown, with the templates parsed. */
final class AccessPlan {
    private final HttpAccess access;
    private final Map<String, Template> templates = new HashMap<>();

    AccessPlan(HttpAccess access) {
        this.access = access;
        access.texts().forEach(text -> templates.put(text, Template.parse(text)));
    }

    /** The references of its templates. */
    Set<Reference> references() {
        var references = new HashSet<Reference>();
        templates.values().forEach(template -> references.addAll(template.references()));
        return references;
    }

    /** Throws UnresolvableException. */
    HttpAccess resolve(Scope scope) {
        return access.map(text -> Objects.requireNonNull(templates.get(text)).text(scope));
    }
}
