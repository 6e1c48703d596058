package io.taskexec.web.frame;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answer to a request of the dashboard. */
public sealed interface Reply {
    /**
     * A page.
     *
     * @param template the name of its file, without the ending
     * @param data by the names that the template has for it
     */
    record Page(String template, String title, Map<String, @Nullable Object> data) implements Reply {
        /** A page with one more thing to show. */
        public Page with(String name, @Nullable Object value) {
            var more = new HashMap<String, @Nullable Object>(data);
            more.put(name, value);
            return new Page(template, title, more);
        }
    }

    /**
     * Another page is to be seen, as after a form that was taken.
     *
     * @param path with {@code /ui}
     * @param notice to be shown there
     */
    record Moved(String path, @Nullable String notice) implements Reply {}

    /**
     * The page of what was made is to be seen, once with its secret.
     *
     * @param path with {@code /ui}, and with the id at its end
     * @param secret which the page has by this name, and no longer when it is loaded again
     */
    record Made(String path, String secret) implements Reply {}

    /** The handler writes to the connection itself. */
    record Streamed() implements Reply {}

    /** A page without data. */
    static Page page(String template, String title) {
        return new Page(template, title, Map.of());
    }
}
