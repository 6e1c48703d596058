package io.taskexec.web.frame;

import static java.util.Objects.requireNonNullElse;

import io.taskexec.api.web.Caller;
import io.taskexec.model.audit.KeyScope;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * A request of a person who has logged in.
 *
 * @param formMark the text that every form of the session carries
 */
public record Visit(RoutingContext context, Caller caller, String formMark, Preferences preferences) {
    /** Whether the person may do what needs this scope. */
    public boolean may(KeyScope needed) {
        return caller.may(needed);
    }

    /** A parameter of the query; null when it is absent or empty, as fields of a form are that was left alone. */
    public @Nullable String query(String name) {
        return orNull(context.request().getParam(name));
    }

    /** A field of the form; null when it is absent or empty. */
    public @Nullable String form(String name) {
        return orNull(context.request().getFormAttribute(name));
    }

    /** A part of the path. */
    public String path(String name) {
        return requireNonNullElse(context.pathParam(name), "");
    }

    private static @Nullable String orNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text.strip();
    }
}
