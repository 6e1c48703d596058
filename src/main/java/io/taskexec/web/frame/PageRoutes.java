package io.taskexec.web.frame;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.audit.KeyScope;
import org.jspecify.annotations.Nullable;

/** Takes the routes of a section. Paths are below {@code /ui}. */
public interface PageRoutes {
    /** Answers a request. It may throw what the API's resources throw. */
    @FunctionalInterface
    interface Handler {
        Uni<Reply> answer(Visit visit);
    }

    /**
     * A write as the audit log of the API has it.
     *
     * @param kind of the resource
     */
    record Audited(String kind, String action) {}

    /** Adds a page. */
    void get(String path, KeyScope needed, Handler handler);

    /**
     * Adds the target of a form.
     *
     * @param audited null of a form that changes nothing
     */
    void post(String path, KeyScope needed, @Nullable Audited audited, Handler handler);
}
