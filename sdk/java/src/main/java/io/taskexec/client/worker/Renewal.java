package io.taskexec.client.worker;

import io.taskexec.client.TaskexecException;
import io.taskexec.client.api.Leases;
import io.taskexec.client.model.LeaseResult;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Extends leases after a third of their time, on a thread of its own that runs no handler, and sends progress with
 * that. A call that fails is tried again a moment later.
 */
final class Renewal extends Loop {
    private static final System.Logger LOG = System.getLogger(Renewal.class.getName());
    private static final int BATCH = 500;

    /** What was reported is refused, or too long together with the rest. */
    private static final Set<Integer> REFUSED = Set.of(400, 413);

    private static final Duration LONGEST_STEP = Duration.ofSeconds(1);

    private final Leases leases;
    private final HeldLeases held;
    private final Duration lease;
    private final Duration third;

    Renewal(Leases leases, HeldLeases held, Duration lease) {
        super("taskexec-renewal");
        this.leases = leases;
        this.held = held;
        this.lease = lease;
        this.third = lease.dividedBy(3);
    }

    @Override
    void runOnce() throws InterruptedException {
        Thread.sleep(Math.min(third.toMillis() / 2, LONGEST_STEP.toMillis()));
        var due = held.all().stream().filter(this::isDue).toList();
        for (var start = 0; start < due.size(); start += BATCH) {
            extend(due.subList(start, Math.min(start + BATCH, due.size())));
        }
    }

    private boolean isDue(RunningTask task) {
        return task.hasProgress() || System.nanoTime() - task.extendedAt() >= third.toNanos();
    }

    private void extend(List<RunningTask> tasks) {
        var progress = new LinkedHashMap<String, Leases.@Nullable Progress>();
        tasks.forEach(task -> progress.put(task.token(), task.takeProgress()));
        try {
            extend(progress);
        } catch (TaskexecException e) {
            var isRefused =
                    REFUSED.contains(e.status()) && progress.values().stream().anyMatch(Objects::nonNull);
            if (isRefused && tasks.size() == 1) {
                LOG.log(
                        Level.WARNING,
                        "The progress of {0} was refused: {1}",
                        tasks.get(0).executionId(),
                        e.getMessage());
                // The lease counts for more than what was reported, and is not given back.
                extend(tasks);
                return;
            }
            giveBack(progress);
            if (isRefused) {
                // What one task has reported must not take along that of the others.
                var half = tasks.size() / 2;
                extend(tasks.subList(0, half));
                extend(tasks.subList(half, tasks.size()));
            } else {
                LOG.log(Level.WARNING, "{0} leases could not be extended: {1}", tasks.size(), e.getMessage());
            }
        }
    }

    private void extend(Map<String, Leases.@Nullable Progress> progress) {
        var sentAt = System.nanoTime();
        leases.extend(lease, progress).forEach(result -> apply(result, sentAt));
    }

    /** What was not sent goes with the next call, unless there is news. */
    private void giveBack(Map<String, Leases.@Nullable Progress> progress) {
        progress.forEach((lease, latest) -> {
            var task = held.get(lease);
            if (task != null && latest != null && !task.hasProgress()) {
                task.progress(latest.current(), latest.total(), latest.message());
            }
        });
    }

    private void apply(LeaseResult result, long sentAt) {
        var task = held.get(result.lease());
        if (task == null) {
            return;
        }
        if (result.isOk()) {
            task.extended(sentAt);
            if (result.cancel() != null) {
                task.cancel(result.cancel());
            }
            return;
        }
        if (task.hasEnded()) {
            // Its report is under way, and finds out by itself.
            return;
        }
        LOG.log(Level.WARNING, "The lease of {0} was lost; its handler is told.", task.executionId());
        task.cancel(RunningTask.LEASE_LOST);
        held.remove(result.lease());
    }
}
