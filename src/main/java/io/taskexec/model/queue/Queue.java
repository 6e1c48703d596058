package io.taskexec.model.queue;

/**
 * A queue of jobs; workers take from all queues in rotation, however long one is.
 *
 * @param id the number behind the name, which never changes
 */
public record Queue(int id, String name) {
    /** The queue of endpoints that name none. */
    public static final Queue DEFAULT = new Queue(0, "default");
}
