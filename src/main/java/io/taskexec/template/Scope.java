package io.taskexec.template;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * The values that placeholders resolve to.
 *
 * @param input the job's input, null when it has none
 * @param config the values of the endpoint's config, null when it has none
 * @param secrets asked once for each placeholder that names a secret
 */
public record Scope(@Nullable JsonNode input, @Nullable JsonNode config, SecretSource secrets) {
    /** Without the values, so that none gets into a log. */
    @Override
    public String toString() {
        return "Scope";
    }
}
