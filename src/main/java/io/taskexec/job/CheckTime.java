package io.taskexec.job;

import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.schema.BudgetExceededException;
import io.taskexec.schema.CheckBudget;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** The time that one request may spend on checks, all jobs of a batch together, and what it holds while it waits. */
public final class CheckTime {
    private static final Duration WHOLE = Duration.ofSeconds(5);

    /** The share of a request in an event loop, which blocks all others. */
    private static final Duration ON_EVENT_LOOP = Duration.ofMillis(5);

    private static final Duration ONCE_ON_EVENT_LOOP = Duration.ofMillis(2);
    private static final long STEPS_ON_EVENT_LOOP = 20_000;

    private final AtomicLong nanosLeft = new AtomicLong(WHOLE.toNanos());
    private final AtomicLong nanosLeftOnEventLoop = new AtomicLong(ON_EVENT_LOOP.toNanos());

    private final String key;
    private final long bytes;
    private final boolean isMessage;

    private CheckTime(String key, long bytes, boolean isMessage) {
        this.key = key;
        this.bytes = bytes;
        this.isMessage = isMessage;
    }

    /**
     * Begins with all of it.
     *
     * @param key the id of the API key of the request; empty when it has none
     * @param bytes how large its body is
     */
    public CheckTime(String key, long bytes) {
        this(key, bytes, false);
    }

    /** For a record of a topic: those behind it wait while it is tried again, so that it is refused in the end. */
    static CheckTime ofMessage(long bytes) {
        return new CheckTime("", bytes, true);
    }

    /** Whether it is that of a message. */
    boolean isMessage() {
        return isMessage;
    }

    String key() {
        return key;
    }

    long bytes() {
        return bytes;
    }

    /** Does what takes next to nothing; throws {@link BudgetExceededException} when it does not. */
    <T> T spendOnEventLoop(Function<CheckBudget, T> work) {
        return spend(nanosLeftOnEventLoop, STEPS_ON_EVENT_LOOP, ONCE_ON_EVENT_LOOP, work);
    }

    /**
     * Does something that may take {@code most}; throws {@link BudgetExceededException} when it takes longer or too
     * many steps, and an {@link ApiException} when what came before it has left it too little time.
     */
    <T> T spend(Duration most, Function<CheckBudget, T> work) {
        var left = nanosLeft.get();
        if (left <= 0) {
            throw spent();
        }
        try {
            return spend(nanosLeft, CheckBudget.MOST_STEPS, most, work);
        } catch (BudgetExceededException e) {
            throw e.isOfTime() && left < most.toNanos() ? spent() : e;
        }
    }

    private static ApiException spent() {
        return new ApiException(
                ErrorCode.UNAVAILABLE, "The request has spent its time for checks. Please send the rest again.");
    }

    private static <T> T spend(AtomicLong left, long steps, Duration most, Function<CheckBudget, T> work) {
        var begin = System.nanoTime();
        try {
            var nanos = Math.min(most.toNanos(), left.get());
            return work.apply(CheckBudget.of(steps, Duration.ofNanos(nanos)));
        } finally {
            var _ = left.addAndGet(begin - System.nanoTime());
        }
    }
}
