package io.taskexec.model.endpoint;

/** The transports an endpoint can deliver to, workflows, which are run instead, and approvals, which ask. */
public enum EndpointType {
    HTTP,
    KAFKA,
    REDIS_STREAM,
    WORKFLOW,
    APPROVAL
}
