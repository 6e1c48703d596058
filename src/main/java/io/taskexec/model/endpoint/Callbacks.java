package io.taskexec.model.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * The endpoints that receive the results of executions.
 *
 * @param onSuccess name of the endpoint that receives outputs, null when there is none
 * @param onFailure name of the endpoint that receives the errors of permanent failures, null when there is none
 */
public record Callbacks(
        @Nullable String onSuccess, @Nullable String onFailure) {
    /** No callbacks. */
    public static final Callbacks NONE = new Callbacks(null, null);
}
