package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.operation.BulkStore;
import io.taskexec.store.operation.OperationStore;
import io.taskexec.store.operation.OperationStore.Running;
import io.taskexec.store.operation.OperationStore.Unreadable;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jboss.logging.Logger;

/** Moves operations on many executions on, each at its rate. */
@Singleton
final class BulkOperations implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(BulkOperations.class);
    private static final int AT_ONCE = 2;
    /** The interval for finding operations of other processes, and the longest pause of a running one. */
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

    private final OperationStore operations;
    private final BulkStore store;

    BulkOperations(OperationStore operations, BulkStore store) {
        this.operations = operations;
        this.store = store;
    }

    @Override
    public String name() {
        return "moving operations on";
    }

    @Override
    public void onWake(Runnable wakes) {
        operations.onCreate(wakes);
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.TO_OTHER;
    }

    @Override
    public Uni<Duration> runOnce() {
        return operations.running().chain(all -> giveUp(all.unreadable()).chain(() -> moveAll(all.readable())));
    }

    private Uni<Void> giveUp(List<Unreadable> unreadable) {
        Uni<Void> done = Uni.createFrom().voidItem();
        for (var one : unreadable) {
            LOG.errorf(one.reason(), "operation %s is given up", one.id());
            done = done.chain(() -> operations.giveUp(one.id()));
        }
        return done;
    }

    private Uni<Duration> moveAll(List<Running> running) {
        var due = running.stream().filter(one -> one.delay().isZero()).toList();
        if (due.isEmpty()) {
            return Uni.createFrom().item(shortest(running));
        }
        return Uni.join()
                .all(due.stream().map(this::move).toList())
                .usingConcurrencyOf(AT_ONCE)
                .andFailFast()
                .replaceWith(Duration.ZERO);
    }

    private static Duration shortest(List<Running> running) {
        return running.stream()
                .map(Running::delay)
                .min(Comparator.naturalOrder())
                .filter(delay -> delay.compareTo(BETWEEN_LOOKS) < 0)
                .orElse(BETWEEN_LOOKS);
    }

    private Uni<Void> move(Running running) {
        var operation = running.operation();
        return store.advance(operation)
                .onFailure()
                .invoke(failure -> LOG.errorf(failure, "a batch of operation %s failed", operation.id()))
                .onFailure()
                .recoverWithUni(() -> operations.failed(operation));
    }
}
