package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Claims from the queues, in turns or by their shares. */
@Singleton
final class QueueClaims {
    private final QueueRotation turns;
    private final LineClaims lines;
    private final ShareClaims shares;

    QueueClaims(QueueRotation turns, LineClaims lines, ShareClaims shares) {
        this.turns = turns;
        this.lines = lines;
        this.shares = shares;
    }

    /** A sleep that is not so long that a paused queue would run again late. */
    Duration bounded(Duration sleep) {
        return turns.bounded(sleep);
    }

    /** Claims at most {@code wanted} executions. */
    Uni<Round> claim(int wanted) {
        return turns.next().chain(turn -> switch (turn) {
            case QueueRotation.Lines some -> lines.claim(some, wanted);
            case QueueRotation.Shares all -> shares.claim(all, wanted);
        });
    }

    /**
     * Tells what follows from one round of claims.
     *
     * @param isShort whether all that was due has been claimed; otherwise the next round follows at once
     * @param seen how many executions were found
     * @param untilDue how long until the next execution becomes due, zero or less when one is; null when none waits
     */
    record Round(boolean isShort, int seen, @Nullable Duration untilDue) {
        static final Round FULL = new Round(false, 0, null);

        static Round untilDue(int seen, @Nullable Duration time) {
            return new Round(true, seen, time);
        }

        /** Whether something is due, and nothing was found: others have locked it. */
        boolean isLocked() {
            return seen == 0 && untilDue != null && !untilDue.isPositive();
        }
    }
}
