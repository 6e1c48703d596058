package io.taskexec.model.queue;

/**
 * A queue of jobs; workers take from all queues in rotation, however long one is.
 *
 * @param id the number behind the name, which never changes
 */
public record Queue(int id, String name) {
    /** The queue of endpoints that name none. */
    public static final Queue DEFAULT = new Queue(0, "default");

    /** Stands in no name that a caller can choose. */
    private static final String OF_WORKERS = "worker:";

    /** The name of the queue of a WORKER endpoint, in which nothing else waits. */
    public static String ofWorkers(String endpoint) {
        return OF_WORKERS + endpoint;
    }

    /** Whether it is the queue of a WORKER endpoint. */
    public static boolean isOfWorkers(String name) {
        return name.startsWith(OF_WORKERS);
    }
}
