package io.taskexec.web.frame;

import io.taskexec.model.audit.KeyScope;
import org.jspecify.annotations.Nullable;

/** A part of the dashboard: some pages with an entry in its navigation. Every bean of this type is part of it. */
public interface Section {
    /**
     * An entry of the navigation.
     *
     * @param order of two entries, the lower one comes first
     * @param path below {@code /ui}
     * @param needed who may see it
     */
    record Entry(int order, String path, String title, KeyScope needed) {}

    /** Returns null for pages that others lead to. */
    @Nullable
    Entry entry();

    /** Adds the routes of the pages. */
    void open(PageRoutes routes);
}
