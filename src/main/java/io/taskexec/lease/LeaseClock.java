package io.taskexec.lease;

import io.taskexec.clock.ClockFollower;
import io.taskexec.model.PublicId;
import io.taskexec.store.clock.ClockStore.Kind;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Has the virtual clock wait for what pull workers hold, and looks for what they wait for when it was moved. */
@Singleton
final class LeaseClock implements ClockFollower {
    /** A worker that has just ended an attempt is about to ask for the next one. */
    private static final Duration UNTIL_ASKED_AGAIN = Duration.ofMillis(100);

    private final LeaseBroker broker;
    private final HeldLeases held;

    LeaseClock(LeaseBroker broker, HeldLeases held) {
        this.broker = broker;
        this.held = held;
    }

    @Override
    public void look(Set<Kind> kinds) {
        if (kinds.contains(Kind.EXECUTION) || kinds.contains(Kind.OTHER)) {
            broker.look();
        }
    }

    @Override
    public boolean isResting() {
        return broker.isResting()
                && valid().findAny().isEmpty()
                && (broker.isAsked() || !held.hasEndedWithin(UNTIL_ASKED_AGAIN));
    }

    @Override
    public List<String> running() {
        return valid().map(lease -> PublicId.EXECUTION.show(lease.claim().executionId()))
                .toList();
    }

    /** What has ended is for the next worker that asks. */
    private Stream<HeldLease> valid() {
        var now = System.nanoTime();
        return held.all().stream().filter(lease -> !lease.hasEndedFor(Duration.ZERO, now));
    }
}
