package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.text.YamlDocument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one resource.
 *
 * @param path where the request goes
 * @param tag the entity tag of what was compared, which must not have changed since; null when it has none
 * @param note what else is to be said
 */
record Step(
        Action action,
        Declared.Identity identity,
        String path,
        ObjectNode body,
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

    /** What is about to happen, for people. */
    String title() {
        return action.sign + " " + identity + (note.isEmpty() ? "" : " (" + note + ")");
    }

    /** What has happened. */
    String result() {
        return identity + " is " + action.done + (note.isEmpty() ? "." : " (" + note + ").");
    }
}
