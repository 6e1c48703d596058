package io.taskexec.model.flow;

import io.taskexec.model.Fingerprint;

/**
 * The key of a job in the flow control of its endpoint.
 *
 * @param id stands for the endpoint and the key in the database; it is not negative
 * @param key empty for the endpoint's own limit
 */
public record FlowKey(long id, String key) {
    /** The longest key, in characters. */
    public static final int MAX_LENGTH = 255;

    /** Returns a key of an endpoint. */
    public static FlowKey of(String endpoint, String key) {
        return new FlowKey(Fingerprint.of(endpoint, key).getMostSignificantBits() & Long.MAX_VALUE, key);
    }
}
