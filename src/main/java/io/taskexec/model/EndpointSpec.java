package io.taskexec.model;

/** Where and how an endpoint delivers; its strings are templates until an execution resolves them. */
public sealed interface EndpointSpec permits HttpSpec {
    /** The transport that this spec is for. */
    EndpointType type();
}
