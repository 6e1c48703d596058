package io.taskexec.api.event;

import io.taskexec.api.web.Caller;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the clients that follow events at this process, and shares the places out: one key gets half of them at most,
 * and a tenth is kept for administrators, who want to look when others have taken the rest.
 */
final class EventPlaces {
    private static final int RESERVED_PART = 10;

    private final int most;
    private final int mostOfOneKey;
    private final int mostOfOthers;
    private final Map<String, Integer> takenByKey = new HashMap<>();
    private int taken;

    EventPlaces(int most) {
        this.most = most;
        this.mostOfOneKey = Math.max(Math.min(most, 1), most / 2);
        this.mostOfOthers = most <= 1 ? most : most - Math.ceilDiv(most, RESERVED_PART);
    }

    /** Takes a place, which the caller must give back; throws when there is no place for this key. */
    synchronized void take(Caller caller) {
        if (taken >= most) {
            throw full("All %d event streams of this process are in use (TE_EVENTS_MAX_STREAMS).".formatted(most));
        }
        if (taken >= mostOfOthers && !caller.may(KeyScope.ADMIN)) {
            throw full("""
                    %d event streams of this process are in use, and the last %d of TE_EVENTS_MAX_STREAMS are kept for \
                    keys with the scope 'admin'.""".formatted(taken, most - mostOfOthers));
        }
        if (takenByKey.getOrDefault(caller.id(), 0) >= mostOfOneKey) {
            throw new ApiException(
                    ErrorCode.RATE_LIMITED,
                    "This API key has %d event streams at this process; one key may have half of TE_EVENTS_MAX_STREAMS."
                            .formatted(mostOfOneKey));
        }
        taken++;
        takenByKey.merge(caller.id(), 1, Integer::sum);
    }

    private static ApiException full(String message) {
        return new ApiException(ErrorCode.UNAVAILABLE, message);
    }

    /** Returns a place that {@link #take} gave to the same caller. */
    synchronized void giveBack(Caller caller) {
        taken--;
        takenByKey.computeIfPresent(caller.id(), (_, count) -> count == 1 ? null : count - 1);
    }
}
