package io.taskexec.model;

/** The transports an endpoint can deliver to. */
public enum EndpointType {
    HTTP,
    KAFKA,
    REDIS_STREAM
}
