package io.taskexec.client.api;

import io.taskexec.client.EventStream;
import io.taskexec.client.Http;
import io.taskexec.client.Query;

/** Events of executions, as they happen. */
public final class Events {
    private final Http http;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public Events(Http http) {
        this.http = http;
    }

    /**
     * Follows events from now on.
     *
     * @param query filters: {@code endpoint}, {@code job_id}, {@code execution_id}, {@code type}
     * @return a stream that goes on over lost connections; close it
     */
    public EventStream follow(Query query) {
        return new EventStream(http, query, "");
    }

    /**
     * Follows events after one that was seen.
     *
     * @param query filters, as above
     * @param lastId its id
     * @return a stream that goes on over lost connections; close it
     */
    public EventStream followAfter(Query query, String lastId) {
        return new EventStream(http, query, lastId);
    }
}
