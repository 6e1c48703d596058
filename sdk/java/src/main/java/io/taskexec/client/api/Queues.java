package io.taskexec.client.api;

import io.taskexec.client.Http;
import io.taskexec.client.Request;
import io.taskexec.client.model.Queue;
import java.time.Instant;
import java.util.Map;

/** Queues, and their pauses. */
public final class Queues extends Resources<Queue> {
    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public Queues(Http http) {
        super(http, "queues", Queue.class);
    }

    /**
     * Pauses a queue: nothing of it begins.
     *
     * @param name its name
     * @param reason shown with it
     * @return the queue
     */
    public Queue pause(String name, String reason) {
        return http.send(Request.post("queues", name, "pause").body(Map.of("reason", reason)), Queue.class);
    }

    /**
     * Pauses a queue for some time.
     *
     * @param name its name
     * @param until its end
     * @param reason shown with it
     * @return the queue
     */
    public Queue pause(String name, Instant until, String reason) {
        var body = Map.of("until", until, "reason", reason);
        return http.send(Request.post("queues", name, "pause").body(body), Queue.class);
    }

    /**
     * Ends the pause of a queue.
     *
     * @param name its name
     * @return the queue
     */
    public Queue resume(String name) {
        return http.send(Request.post("queues", name, "resume"), Queue.class);
    }
}
