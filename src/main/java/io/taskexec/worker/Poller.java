package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.store.wakeup.DueSignal;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Claims as many due executions as there is room for, and sleeps until the next one is due. */
@Singleton
final class Poller implements Duty {
    private static final int MAX_BATCH = 500;

    /** Due executions that another poller has locked would be asked for without a pause. */
    private static final Duration SHORTEST_SLEEP = Duration.ofMillis(2);

    private final QueueClaims claims;
    private final UrgentClaims urgent;
    private final Intake intake;
    private final Slots slots;
    private final DueSignal dueSignal;
    private final WorkerConfig config;

    /** Doubled with each claim that finds only what is locked: a transaction of an application may take long. */
    private Duration sleepWhileLocked = SHORTEST_SLEEP;

    Poller(
            QueueClaims claims,
            UrgentClaims urgent,
            Intake intake,
            Slots slots,
            DueSignal dueSignal,
            WorkerConfig config) {
        this.claims = claims;
        this.urgent = urgent;
        this.intake = intake;
        this.slots = slots;
        this.dueSignal = dueSignal;
        this.config = config;
    }

    /** From now on what this process creates begins without a claim when there is room and nothing else waits. */
    void startAtOnce() {
        intake.start();
    }

    /** From now on what is claimed is handed back. */
    void stopBeginning() {
        intake.stop();
    }

    @Override
    public Uni<Duration> runOnce() {
        // Set before the slots are counted: a slot that is freed in between then wakes us for nothing, but never too
        // few.
        slots.await(true);
        if (intake.isStopping()) {
            return Uni.createFrom().item(config.pollInterval());
        }
        var wanted = slots.isLow() ? Math.min(slots.room(), MAX_BATCH) : 0;
        return wanted <= 0 ? urgent.runOnce() : claims.claim(wanted).map(this::sleepAfter);
    }

    private Duration sleepAfter(QueueClaims.Round round) {
        if (round.isLocked()) {
            var sleep = shorter(sleepWhileLocked, config.pollInterval());
            sleepWhileLocked = sleep.multipliedBy(2);
            return claims.bounded(sleep);
        }
        sleepWhileLocked = SHORTEST_SLEEP;
        return round.isShort() ? claims.bounded(bounded(round.untilDue())) : Duration.ZERO;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private Duration bounded(@Nullable Duration untilDue) {
        var longest = dueSignal.longestSleep(config.pollInterval());
        if (untilDue == null || untilDue.compareTo(longest) > 0) {
            return longest;
        }
        return untilDue.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : untilDue;
    }
}
