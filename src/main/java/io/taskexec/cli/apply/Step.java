package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.text.YamlDocument;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one resource.
 *
 * @param path where the request goes
 * @param present what the server has; without fields when it has nothing
 * @param tag the entity tag of what was compared, which must not have changed since; null when it has none
 * @param note what else is to be said
 */
record Step(
        Action action,
        Declared.Identity identity,
        String path,
        ObjectNode body,
        JsonNode present,
        @Nullable String tag,
        List<String> difference,
        String note,
        YamlDocument document) {
    /** What is done, and how a line about it begins. */
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

    /**
     * Does it; what is refused is said with its place in the file.
     *
     * @param query is added to the path
     */
    void perform(ServerClient client, String query) throws RefusedException, IOException, InterruptedException {
        try {
            switch (action) {
                case CREATE -> {
                    var _ = client.post(path + query, body);
                }
                case CHANGE -> {
                    var _ = client.put(path + query, body, tag);
                }
                case REMOVE -> {
                    if (isCancelled()) {
                        var _ = client.post(path + query);
                    } else {
                        client.delete(path + query);
                    }
                }
                case KEEP -> {}
            }
        } catch (RefusedException e) {
            throw document.file().isEmpty() ? e : e.at(document::at);
        }
    }

    /** Jobs are not deleted. */
    boolean isCancelled() {
        return action == Action.REMOVE && identity.kind() == Kind.JOB;
    }

    /** What is about to happen, for people. */
    String title() {
        return action.sign + " " + identity + (note.isEmpty() ? "" : " (" + note + ")");
    }

    /** What has happened. */
    String result() {
        return identity + " is " + action.done + (note.isEmpty() ? "." : " (" + note + ").");
    }
}
