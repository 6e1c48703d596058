package io.taskexec.model.delivery;

/** Signs messages for a receiver, which can then tell that they come from here and are as they were sent. */
@FunctionalInterface
public interface Signer {
    /**
     * The signatures of a message as Standard Webhooks has them, separated by spaces.
     *
     * @param id of the message, the same with each attempt
     * @param timestamp of the attempt, in seconds since 1970
     */
    String sign(String id, long timestamp, byte[] body);
}
