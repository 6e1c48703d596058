package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.client.ResourceName;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.option.QueryOption;
import java.util.List;

/**
 * A kind of resource.
 *
 * @param one its name in the singular
 * @param many its name in commands
 * @param path the path of the collection; empty when the API has none
 * @param id the field with the name or id
 */
record Noun(String one, String many, String path, String id, List<ResourceColumn> columns, List<QueryOption> filters) {
    /**
     * A list below one resource.
     *
     * @param path the last part of its path
     * @param id the field that identifies an item
     */
    record Sublist(
            String path, String id, List<ResourceColumn> columns, List<QueryOption> filters, String description) {}

    ServerPath all() {
        return ServerPath.of(path);
    }

    /** @param id an id, or a name as {@code -o name} prints it */
    ServerPath one(String id) {
        return all().below(bare(id));
    }

    /** Removes the noun in front of an id. */
    String bare(String id) {
        return ResourceName.bare(many, id);
    }

    /** Returns the text of {@code -o name} for an id. */
    String nameOf(String id) {
        return many + "/" + bare(id);
    }

    /** Returns the text of {@code -o name} for a resource. */
    String nameOf(JsonNode resource) {
        return many + "/" + resource.path(id).asText();
    }
}
