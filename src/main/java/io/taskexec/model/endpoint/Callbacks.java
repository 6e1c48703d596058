package io.taskexec.model.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * The endpoints that receive the results of executions.
 *
 * @param onSuccess name of the endpoint that gets the output of what succeeded, null for nobody
 * @param onFailure name of the endpoint that gets the error of what failed for good, null for nobody
 */
public record Callbacks(
        @Nullable String onSuccess, @Nullable String onFailure) {
    /** Nobody is told. */
    public static final Callbacks NONE = new Callbacks(null, null);
}
