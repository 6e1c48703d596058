package io.taskexec.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** A receiver's message about a deferred delivery. */
public final class CallbackRequest extends Fields<CallbackRequest> {
    private CallbackRequest(String status) {
        set("status", status);
    }

    /**
     * Says that the work is done.
     *
     * @param output its result, at most 64 KiB of JSON; a tree stays as it is, all else is written by {@link
     *     Json#data()}
     * @return the message
     */
    public static CallbackRequest succeeded(Object output) {
        return new CallbackRequest("succeeded").set("output", Json.data().valueToTree(output));
    }

    /**
     * Says that the attempt has failed.
     *
     * @param message why
     * @param isPermanent whether no other attempt may follow
     * @return the message
     */
    public static CallbackRequest failed(String message, boolean isPermanent) {
        return new CallbackRequest("failed").set("error", Map.of("message", message, "permanent", isPermanent));
    }

    /**
     * Says how far the work is.
     *
     * @param current how much is done
     * @param total of so much
     * @param message may be empty
     * @return the message
     */
    public static CallbackRequest progress(double current, double total, String message) {
        var progress = new LinkedHashMap<String, Object>();
        progress.put("current", current);
        progress.put("total", total);
        if (!message.isEmpty()) {
            progress.put("message", message);
        }
        return new CallbackRequest("progress").set("progress", progress);
    }

    /**
     * Says that the receiver is alive.
     *
     * @return the message
     */
    public static CallbackRequest heartbeat() {
        return new CallbackRequest("heartbeat");
    }

    @Override
    CallbackRequest self() {
        return this;
    }

    /**
     * Asks for more time, with progress and heartbeats.
     *
     * @param time from now on
     * @return this
     */
    public CallbackRequest extend(Duration time) {
        return set("extend", time);
    }
}
