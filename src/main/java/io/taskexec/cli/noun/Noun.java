package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.Field;
import io.taskexec.cli.client.ServerPath;
import java.util.List;

/**
 * Something that the API has many of.
 *
 * @param one what a single one is called
 * @param many what commands call them
 * @param path where they are
 * @param id the field that tells them apart
 */
record Noun(String one, String many, String path, String id, List<Field> fields, List<Filter> filters) {
    ServerPath all() {
        return ServerPath.of(path);
    }

    /** @param id also with the noun before it, as {@code -o name} prints it */
    ServerPath one(String id) {
        return all().below(bare(id));
    }

    /** The id without the noun before it. */
    String bare(String id) {
        return id.startsWith(many + "/") ? id.substring(many.length() + 1) : id;
    }

    /** What {@code -o name} prints of one that was named by its id. */
    String nameOf(String id) {
        return many + "/" + bare(id);
    }

    /** What {@code -o name} prints. */
    String nameOf(JsonNode resource) {
        return many + "/" + resource.path(id).asText();
    }
}
