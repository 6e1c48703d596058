package io.taskexec.client;

import io.taskexec.client.model.Page;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A list of the API, newest first. Iterating over it asks for one page after the other.
 *
 * @param <T> its items
 */
public final class Listing<T> implements Iterable<T> {
    private final Function<@Nullable String, Page<T>> pages;

    Listing(Function<@Nullable String, Page<T>> pages) {
        this.pages = pages;
    }

    /**
     * Asks for the first page.
     *
     * @return the page; its cursor is null when it is the last one
     */
    public Page<T> page() {
        return pages.apply(null);
    }

    /**
     * Asks for a page.
     *
     * @param cursor of the page before it
     * @return the page
     */
    public Page<T> page(String cursor) {
        return pages.apply(cursor);
    }

    /**
     * Returns all items.
     *
     * @return a stream that asks for pages as they are needed
     */
    public Stream<T> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    @Override
    public Iterator<T> iterator() {
        return new Pages(page());
    }

    /** Goes through the pages. */
    private final class Pages implements Iterator<T> {
        private Page<T> page;
        private Iterator<T> items;

        Pages(Page<T> first) {
            page = first;
            items = first.items().iterator();
        }

        @Override
        public boolean hasNext() {
            while (!items.hasNext() && page.cursor() != null) {
                page = page(page.cursor());
                items = page.items().iterator();
            }
            return items.hasNext();
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return items.next();
        }

        private Page<T> page(String cursor) {
            return pages.apply(cursor);
        }
    }
}
