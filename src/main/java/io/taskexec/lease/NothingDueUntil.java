package io.taskexec.lease;

import java.util.Map;
import java.util.Set;

/**
 * A look has found that nothing becomes due of these endpoints until a time, as long as no signal says otherwise. A
 * call that comes within that time need not look again.
 *
 * @param signals how many signals had come before the look
 * @param endpoints by the least urgent priority that was looked for
 * @param until a {@link System#nanoTime}
 */
record NothingDueUntil(long signals, Map<Integer, Set<String>> endpoints, long until) {
    static final NothingDueUntil UNKNOWN = new NothingDueUntil(-1, Map.of(), 0);

    /** Whether a look for a call would find nothing. */
    boolean covers(PullCall call, long signalsNow, long now) {
        return signals == signalsNow
                && until - now > 0
                && call.isPatient()
                && endpoints
                        .getOrDefault(call.leastUrgent(), Set.of())
                        .containsAll(call.request().endpoints());
    }
}
