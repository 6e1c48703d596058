package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.apply.DesiredResource.ResourceId;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerClient.Response;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.util.List;

/**
 * The action for one resource.
 *
 * @param path the path of the request
 * @param body the body of the request
 * @param present the state on the server that was compared; its entity tag must not have changed at the write
 */
record PlanStep(
        Action action,
        DesiredResource resource,
        String path,
        ObjectNode body,
        Response present,
        List<String> difference,
        String note) {
    /** Kinds of actions. */
    enum Action {
        CREATE("+", "created"),
        CHANGE("~", "changed"),
        KEEP("=", "unchanged"),
        REMOVE("-", "removed");

        private final String sign;
        private final String done;

        Action(String sign, String done) {
            this.sign = sign;
            this.done = done;
        }

        String done() {
            return done;
        }
    }

    static PlanStep create(DesiredResource resource, ObjectNode body, List<String> difference) {
        var path = resource.kind().isPut()
                ? ServerPath.of(resource.kind().path()).below(resource.name()).toString()
                : resource.kind().path();
        return new PlanStep(Action.CREATE, resource, path, body, absent(), difference, "");
    }

    static PlanStep change(DesiredResource resource, String path, Response present, List<String> difference) {
        return new PlanStep(Action.CHANGE, resource, path, resource.fields(), present, difference, "");
    }

    static PlanStep keep(DesiredResource resource, String note) {
        return new PlanStep(
                Action.KEEP, resource, "", JsonNodeFactory.instance.objectNode(), absent(), List.of(), note);
    }

    /** @param resource the state on the server */
    static PlanStep remove(DesiredResource resource) {
        var path = resource.kind() == ResourceKind.JOB
                ? ResourceKind.JOB.path() + "/"
                        + resource.fields().path("job_id").asText() + "/cancel"
                : ServerPath.of(resource.kind().path()).below(resource.name()).toString();
        var present = new Response(resource.fields(), null);
        return new PlanStep(
                Action.REMOVE, resource, path, JsonNodeFactory.instance.objectNode(), present, List.of(), "");
    }

    private static Response absent() {
        return new Response(JsonNodeFactory.instance.objectNode(), null);
    }

    ResourceId identity() {
        return resource.identity();
    }

    /**
     * Sends the request. The error of a refused one names the place in the file.
     *
     * @param query appended to the path
     */
    void perform(ServerClient client, String query) throws IOException, InterruptedException {
        try {
            var _ = switch (action) {
                case CREATE ->
                    resource.kind().isPut() ? client.put(path + query, body, null) : client.post(path + query, body);
                case CHANGE -> client.put(path + query, body, present.tag());
                case REMOVE -> isCancelled() ? client.post(path + query) : client.delete(path + query);
                case KEEP -> body;
            };
        } catch (RefusedException e) {
            throw resource.document().file().isEmpty() ? e : e.at(resource.document()::at);
        }
    }

    /** Jobs are not deleted. */
    boolean isCancelled() {
        return action == Action.REMOVE && identity().kind() == ResourceKind.JOB;
    }

    /** Returns the line that announces the action. */
    String title() {
        return action.sign + " " + identity() + (note.isEmpty() ? "" : " (" + note + ")");
    }

    /** Returns the line that reports the action as done. */
    String result() {
        return identity() + " is " + action.done + (note.isEmpty() ? "." : " (" + note + ").");
    }
}
