package io.taskexec.chaos;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Received;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A kind of work: what its endpoint answers, and what must have become of each of its executions.
 */
enum Traffic {
    /** Answered at once. */
    QUICK(12, "SUCCESS"),
    /** Due some seconds later. */
    DELAYED(4, "SUCCESS"),
    /** Takes a second, so that there is always something in flight. */
    SLOW(6, "SUCCESS"),
    /** A third of them fails at first. */
    SHAKY(3, "SUCCESS"),
    /** Refused for good. */
    REFUSED(1, "FAILED"),
    /** Fails with every attempt. */
    HOPELESS(1, "FAILED"),
    /** Made by schedules. */
    TICK(0, "SUCCESS");

    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int SERVER_ERROR = 500;
    private static final int SHAKES = 3;

    private final int share;
    private final String end;

    Traffic(int share, String end) {
        this.share = share;
        this.end = end;
    }

    /** How many of it in a round of the mix. */
    int share() {
        return share;
    }

    /** The state that each of its executions must reach. */
    String end() {
        return end;
    }

    String endpoint() {
        return name().toLowerCase(Locale.ROOT);
    }

    String path() {
        return "/" + endpoint();
    }

    static Traffic at(String path) {
        return valueOf(path.substring(1).toUpperCase(Locale.ROOT));
    }

    Map<String, Object> retryPolicy() {
        return Map.of("max_attempts", 3, "initial_delay_ms", 200, "max_delay_ms", 1000);
    }

    Answer answer(Received request) {
        return Answer.of(status(request), "{}").after(delay());
    }

    private int status(Received request) {
        return switch (this) {
            case REFUSED -> BAD_REQUEST;
            case HOPELESS -> SERVER_ERROR;
            case SHAKY -> shakes(request) ? SERVER_ERROR : OK;
            case QUICK, DELAYED, SLOW, TICK -> OK;
        };
    }

    private static boolean shakes(Received request) {
        return "1".equals(request.header("Taskexec-Attempt")) && request.body().hashCode() % SHAKES == 0;
    }

    private CompletionStage<?> delay() {
        return this == SLOW
                ? CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS))
                : CompletableFuture.completedFuture(null);
    }
}
