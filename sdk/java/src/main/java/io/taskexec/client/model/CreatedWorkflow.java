package io.taskexec.client.model;

import org.jspecify.annotations.Nullable;

/**
 * A workflow that was just created. It has no id before its first run, when a schedule starts it.
 *
 * @param workflowId of a run; a schedule has runs of their own
 */
public record CreatedWorkflow(@Nullable String workflowId, String jobId, String name) {}
