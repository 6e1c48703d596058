package io.taskexec.model.endpoint;

/** The transports an endpoint can deliver to, and workflows, which are run instead. */
public enum EndpointType {
    HTTP,
    KAFKA,
    REDIS_STREAM,
    WORKFLOW
}
