package io.taskexec.api.web;

import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.endpoint.PageQuery;
import java.util.UUID;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The query parameters of every list. Texts, because the framework answers 404 to a malformed number. */
public class Paging {
    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 200;

    @RestQuery
    @Nullable
    String limit;

    @RestQuery
    @Nullable
    public String cursor;

    /** The parameters of a part of a list that is read without a query. */
    public static Paging of(int limit, @Nullable String cursor) {
        var paging = new Paging();
        paging.limit = Integer.toString(limit);
        paging.cursor = cursor;
        return paging;
    }

    public int limit() {
        try {
            var asked = limit == null ? DEFAULT_LIMIT : Integer.parseInt(limit);
            if (asked >= 1 && asked <= MAX_LIMIT) {
                return asked;
            }
        } catch (NumberFormatException _) {
            // The message below says it.
        }
        throw new ApiException(
                ErrorCode.INVALID_REQUEST, "'limit' must be a whole number from 1 to " + MAX_LIMIT + ".");
    }

    public PageQuery byName() {
        return new PageQuery(limit(), Cursor.position(cursor));
    }

    @Nullable
    public UUID afterId() {
        return Cursor.id(cursor);
    }
}
