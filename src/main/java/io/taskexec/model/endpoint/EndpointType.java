package io.taskexec.model.endpoint;

/**
 * The transports an endpoint can deliver to, workflows, which are run instead, approvals, which ask, and work that pull
 * workers ask for.
 */
public enum EndpointType {
    HTTP,
    KAFKA,
    REDIS_STREAM,
    WORKFLOW,
    APPROVAL,
    WORKER
}
