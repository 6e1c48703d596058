package io.taskexec.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Applies a JSON Merge Patch (RFC 7396). */
public final class MergePatch {
    public static final String MEDIA_TYPE = "application/merge-patch+json";

    private MergePatch() {}

    /** The result of a patch, which leaves both arguments as they are. */
    public static ObjectNode apply(ObjectNode target, ObjectNode patch) {
        var merged = target.deepCopy();
        patch.properties().forEach(field -> {
            var value = field.getValue();
            if (value.isNull()) {
                merged.remove(field.getKey());
            } else {
                merged.set(field.getKey(), merged(merged.get(field.getKey()), value));
            }
        });
        return merged;
    }

    private static JsonNode merged(JsonNode target, JsonNode patch) {
        if (patch instanceof ObjectNode changes) {
            return apply(target instanceof ObjectNode object ? object : changes.objectNode(), changes);
        }
        return patch;
    }
}
