package io.taskexec.client.api;

import io.taskexec.client.Http;
import io.taskexec.client.Listing;
import io.taskexec.client.Query;
import io.taskexec.client.Request;
import io.taskexec.client.model.Approval;
import java.util.Map;

/** Questions to people. */
public final class Approvals {
    private final Http http;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public Approvals(Http http) {
        this.http = http;
    }

    /**
     * Lists approvals.
     *
     * @param query the filters, or {@link Query#all()}
     * @return the list
     */
    public Listing<Approval> list(Query query) {
        return http.list(Request.get("approvals").with(query), Approval.class);
    }

    /**
     * Reads an approval.
     *
     * @param id of its execution
     * @return the approval
     */
    public Approval get(String id) {
        return http.send(Request.get("approvals", id), Approval.class);
    }

    /**
     * Approves.
     *
     * @param id of its execution
     * @param comment may be empty
     * @return the approval
     */
    public Approval approve(String id, String comment) {
        return decide(id, "approve", comment);
    }

    /**
     * Rejects, so that the execution fails.
     *
     * @param id of its execution
     * @param comment may be empty
     * @return the approval
     */
    public Approval reject(String id, String comment) {
        return decide(id, "reject", comment);
    }

    private Approval decide(String id, String decision, String comment) {
        var body = comment.isEmpty() ? Map.of("decision", decision) : Map.of("decision", decision, "comment", comment);
        return http.send(Request.post("approvals", id, "decision").body(body).once(), Approval.class);
    }
}
