package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The tag that has a job's name, by which apply finds it again. */
final class JobTag {
    static final String PREFIX = "applied:";

    private JobTag() {}

    static String of(String name) {
        return PREFIX + name;
    }

    /** The name that a job was applied with; null when it was made otherwise. */
    static @Nullable String name(JsonNode job) {
        for (var tag : job.path("tags")) {
            if (tag.asText().startsWith(PREFIX)) {
                return tag.asText().substring(PREFIX.length());
            }
        }
        return null;
    }
}
