package io.taskexec.template;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * The values that placeholders resolve to.
 *
 * @param input the job's input, null when it has none
 * @param config the values of the endpoint's config, null when it has none
 * @param secrets asked once for each placeholder that names a secret
 * @param parents how each parent of the job has ended, by its name; null for a job without parents
 * @param workflow the members of {@link Reference#OF_WORKFLOW}; null for a job outside of workflows
 * @param job the members of {@link Reference#OF_JOB}
 */
public record Scope(
        @Nullable JsonNode input,
        @Nullable JsonNode config,
        SecretSource secrets,
        @Nullable JsonNode parents,
        @Nullable JsonNode workflow,
        @Nullable JsonNode job) {
    /** Without parents, before a job runs. */
    public Scope(@Nullable JsonNode input, @Nullable JsonNode config, SecretSource secrets) {
        this(input, config, secrets, null, null, null);
    }

    /** Without the values, so that none gets into a log. */
    @Override
    public String toString() {
        return "Scope";
    }
}
