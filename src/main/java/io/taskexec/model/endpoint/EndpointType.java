package io.taskexec.model.endpoint;

/** The transports an endpoint can deliver to. */
public enum EndpointType {
    HTTP,
    KAFKA,
    REDIS_STREAM
}
