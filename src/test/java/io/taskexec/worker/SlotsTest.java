package io.taskexec.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.NewClaim;
import io.taskexec.worker.observe.CompletionRate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private final List<Lease> run = new ArrayList<>();

    /** Stands still unless a test moves it. */
    private final AtomicLong now = new AtomicLong();

    private Slots slots(int size) {
        return new Slots(size, 10, new RunningLeases(), (lease, _, _) -> run.add(lease), now::get);
    }

    private static List<Lease> leases(int count) {
        return IntStream.range(0, count)
                .mapToObj(_ -> TestLease.of(new NewClaim().claimed(), Duration.ZERO, Duration.ofMinutes(1)))
                .toList();
    }

    @Test
    void noMoreRunThanThereAreSlotsAndTheRestFollowsInOrder() {
        var slots = slots(2);
        var leases = leases(5);

        slots.add(leases);
        assertThat(run).isEqualTo(leases.subList(0, 2));

        slots.ended();
        assertThat(run).isEqualTo(leases.subList(0, 3));

        for (var i = 0; i < 4; i++) {
            slots.ended();
        }
        assertThat(run).isEqualTo(leases);
    }

    @Test
    void atFirstThereIsRoomForAsManyAsThereAreSlots() {
        var slots = slots(3);
        assertThat(slots.room()).isEqualTo(3);
        assertThat(slots.isLow()).isTrue();

        slots.add(leases(3));
        assertThat(slots.room()).isZero();
    }

    @Test
    void whoEndsQuicklyMayHaveAsManyWaitButNotMoreThanTheLimit() {
        var slots = slots(1);
        for (var i = 0; i < 30; i++) {
            slots.add(leases(1));
            slots.ended();
        }
        assertThat(slots.room()).isEqualTo(1 + 10);

        slots.add(leases(11));
        assertThat(slots.room()).isZero();
        assertThat(slots.isLow()).isFalse();
        for (var i = 0; i < 5; i++) {
            slots.ended();
        }
        assertThat(slots.isLow()).isTrue();
    }

    @Test
    void onceNoneHasEndedForAWhileNoneMayWait() {
        var slots = slots(1);
        for (var i = 0; i < 30; i++) {
            slots.add(leases(1));
            slots.ended();
        }
        now.addAndGet(CompletionRate.SPAN.toNanos());
        assertThat(slots.room()).isEqualTo(1 + 10);

        now.addAndGet(CompletionRate.SPAN.toNanos());

        assertThat(slots.room()).isEqualTo(1);
    }

    @Test
    void withTooManyResultsThatAreNotRecordedThereIsNoRoom() {
        var slots = slots(1);
        var wakes = new AtomicInteger();
        slots.onRoom(wakes::incrementAndGet);
        for (var i = 0; i < 1_000; i++) {
            slots.add(leases(1));
            slots.ended();
        }
        assertThat(slots.room()).isZero();

        slots.finished(run.getLast(), true);

        assertThat(wakes).hasValue(1);
        assertThat(slots.room()).isEqualTo(1 + 10);
    }

    @Test
    void whatWaitsCanBeTakenBackAndIsNotRun() {
        var slots = slots(2);
        var leases = leases(5);
        slots.add(leases);

        assertThat(slots.takeWaiting(Duration.ZERO)).isEqualTo(leases.subList(2, 5));
        slots.ended();
        slots.ended();

        assertThat(run).hasSize(2);
    }

    @Test
    void whatHasNotWaitedForLongStays() {
        var slots = slots(1);
        slots.add(leases(3));

        assertThat(slots.takeWaiting(Duration.ofMinutes(1))).isEmpty();
        slots.ended();

        assertThat(run).hasSize(2);
    }
}
