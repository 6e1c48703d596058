package io.taskexec.worker.adaptive;

import io.taskexec.model.flow.AdaptiveLimit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a limit changes: additive increase and multiplicative decrease, which keeps in mind where the receiver
 * refused last, as CUBIC does (RFC 9438). Below that the limit grows fast, there it waits, and a step beyond is tried
 * now and then.
 */
final class LimitRule {
    /** A receiver that takes more needs no limit. */
    private static final int MOST = 1_000;

    /** So many refusals count in any case; of many calls so many in a hundred. */
    private static final int FEWEST_REFUSALS = 2;

    private static final int TOLERATED_PERCENT = 1;

    /** With so many in a hundred refused half of the calls are too many. */
    private static final int SEVERE_PERCENT = 25;

    private static final int PERCENT = 100;

    /** A little less is tried first: most often one call was too much. */
    private static final double DECREASE = 0.95;

    /** The part of the ceiling up to which the limit grows fast. */
    private static final double NEAR = 0.9;

    private static final double SLOW = 2;
    private static final double TOO_SLOW = 3;

    private static final Duration BETWEEN_FAST_STEPS = Duration.ofMillis(200);
    private static final Duration BETWEEN_STEPS = Duration.ofMillis(500);
    private static final Duration BETWEEN_DOUBLINGS = Duration.ofSeconds(1);
    private static final Duration BETWEEN_TRIALS = Duration.ofSeconds(5);
    private static final Duration UNUSED = Duration.ofSeconds(10);
    private static final Duration QUIET = Duration.ofMinutes(1);

    private LimitRule() {}

    /** A decision about a limit. */
    sealed interface Decision {}

    /** It stays. */
    record Keep() implements Decision {}

    /** It becomes another one. */
    record Change(int limit, @Nullable Integer ceiling, boolean refused) implements Decision {}

    /** It is needed no more. */
    record End() implements Decision {}

    private static final Decision KEEP = new Keep();

    static Decision next(AdaptiveLimit now, Answers answers) {
        if (answers.refusedLately() >= FEWEST_REFUSALS
                && (long) answers.refusedLately() * PERCENT > (long) answers.lately() * TOLERATED_PERCENT) {
            var isSevere = (long) answers.refusedLately() * PERCENT >= (long) answers.lately() * SEVERE_PERCENT;
            return lower(now, isSevere ? now.limit() / 2 : (int) (now.limit() * DECREASE));
        }
        // Without calls the slowness is that of before, and a lower limit would not change it.
        if (answers.lately() > 0
                && answers.slowness() >= TOO_SLOW
                && now.limit() > 1
                && now.sinceChange().compareTo(BETWEEN_DOUBLINGS) > 0) {
            return lower(now, (int) (now.limit() * DECREASE));
        }
        if (isUnused(now)) {
            return new End();
        }
        // Every place has been used once since the last change.
        return isUsed(now) && answers.all() >= now.limit() && answers.slowness() < SLOW ? raise(now) : KEEP;
    }

    private static Decision lower(AdaptiveLimit now, int limit) {
        return new Change(Math.max(1, Math.min(limit, now.limit() - 1)), now.limit(), true);
    }

    private static boolean isUnused(AdaptiveLimit now) {
        var refusal = now.sinceRefusal();
        return !now.hasLine()
                && now.open() * 2 <= now.limit()
                && now.sinceChange().compareTo(UNUSED) >= 0
                && (refusal == null || refusal.compareTo(QUIET) >= 0);
    }

    private static boolean isUsed(AdaptiveLimit now) {
        return now.hasLine() && now.open() >= (int) (now.limit() * NEAR);
    }

    private static Decision raise(AdaptiveLimit now) {
        var ceiling = now.ceiling();
        if (ceiling == null) {
            return after(BETWEEN_DOUBLINGS, now, now.limit() * 2, null);
        }
        var below = ceiling - now.limit();
        if (now.limit() < (int) (ceiling * NEAR)) {
            return after(BETWEEN_FAST_STEPS, now, now.limit() + Math.max(1, below / 2), ceiling);
        }
        if (below > 1) {
            return after(BETWEEN_STEPS, now, now.limit() + 1, ceiling);
        }
        var refusal = now.sinceRefusal();
        if (refusal != null && refusal.compareTo(BETWEEN_TRIALS) < 0) {
            return KEEP;
        }
        // What has been refused is tried again, and when it is not refused any more, a fifth more may come.
        var next = now.limit() + 1;
        return after(BETWEEN_STEPS, now, next, below == 1 ? ceiling : next + Math.max(1, next / 5));
    }

    private static Decision after(Duration time, AdaptiveLimit now, int limit, @Nullable Integer ceiling) {
        if (now.sinceChange().compareTo(time) < 0) {
            return KEEP;
        }
        return limit > MOST ? new End() : new Change(limit, ceiling, false);
    }
}
