package io.taskexec.e2e;

import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;

/** Requests that are made again while they are answered 503. */
final class TriedAgain {
    private static final int BUSY = 503;
    private static final int TRIES = 20;

    private TriedAgain() {}

    /** On busy processors a lock may not be free in time. The answer says to try again, and that nothing was done. */
    static <T> T whileBusy(Callable<T> request, ToIntFunction<T> status) throws Exception {
        for (var tries = 1; ; tries++) {
            var answer = request.call();
            if (status.applyAsInt(answer) != BUSY || tries == TRIES) {
                return answer;
            }
        }
    }
}
