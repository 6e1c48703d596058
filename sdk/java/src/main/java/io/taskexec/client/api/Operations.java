package io.taskexec.client.api;

import io.taskexec.client.Http;
import io.taskexec.client.Listing;
import io.taskexec.client.Request;
import io.taskexec.client.model.Operation;

/** Bulk operations. */
public final class Operations {
    private final Http http;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public Operations(Http http) {
        this.http = http;
    }

    /**
     * Lists operations.
     *
     * @return the list
     */
    public Listing<Operation> list() {
        return http.list(Request.get("operations"), Operation.class);
    }

    /**
     * Reads an operation.
     *
     * @param id of the operation
     * @return the operation
     */
    public Operation get(String id) {
        return http.send(Request.get("operations", id), Operation.class);
    }

    /**
     * Stops an operation.
     *
     * @param id of the operation
     * @return the operation
     */
    public Operation cancel(String id) {
        return http.send(Request.post("operations", id, "cancel"), Operation.class);
    }
}
