package io.taskexec.model.endpoint;

/**
 * Where jobs wait for a worker; each queue gets its turn, however long another one is.
 *
 * @param id the number behind the name, which never changes
 */
public record Queue(int id, String name) {
    /** The queue of endpoints that name none. */
    public static final Queue DEFAULT = new Queue(0, "default");
}
