package io.taskexec.cli.noun;

import io.taskexec.cli.Field;
import io.taskexec.cli.ServerPath;
import java.util.List;

/**
 * Something that the API has many of.
 *
 * @param one what a single one is called
 * @param path where they are
 * @param id the field that tells them apart
 */
record Noun(String one, String path, String id, List<Field> fields, List<Filter> filters) {
    ServerPath all() {
        return ServerPath.of(path);
    }

    ServerPath one(String id) {
        return all().below(id);
    }
}
