package io.taskexec.loop;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.TaskProgress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Runs one duty over and over, never twice at the same time. The duty says when to run next; a failure is logged and
 * backed off from, and never ends the loop. Starting, waking and stopping are safe from any thread, in any order and
 * any number of times.
 */
public final class Loop {
    private static final Logger LOG = Logger.getLogger(Loop.class);
    private static final long FIRST_BACKOFF_MS = 100;
    private static final int MAX_DOUBLINGS = 6;

    private final String name;
    private final Duty duty;
    private final LoopTimer timer;

    private State state = State.STOPPED;
    private boolean woken;
    private boolean restart;

    // Scheduling such a run anew would only put it off, and for ever while wake-ups keep coming.
    private boolean dueAtOnce;
    private int failures;

    /** The failure that was logged last, since the last success. */
    private @Nullable String logged;

    // Of the monotonic clock: when the run that is awaited should have begun, and when one should that succeeds.
    private long dueAt;
    private long successDueAt;
    private @Nullable Long succeededAt;
    private @Nullable Future<?> next;
    private CompletableFuture<Void> stopped = CompletableFuture.completedFuture(null);

    private enum State {
        STOPPED,
        WAITING,
        RUNNING,
        STOPPING
    }

    public Loop(String name, Duty duty, LoopTimer timer) {
        this.name = name;
        this.duty = duty;
        this.timer = timer;
    }

    /**
     * Starts with a first run at once, after the end of a stop that is under way; no effect on a loop that is started.
     */
    public synchronized void start() {
        if (state == State.STOPPED) {
            stopped = new CompletableFuture<>();
            successDueAt = System.nanoTime();
            schedule(Duration.ZERO);
        } else if (state == State.STOPPING) {
            restart = true;
        }
    }

    /** Runs the duty at once, or once more when it is running: it may have missed what it is woken for. */
    public synchronized void wake() {
        if (state == State.RUNNING) {
            woken = true;
        } else if (state == State.WAITING && !dueAtOnce && next != null && next.cancel(false)) {
            schedule(Duration.ZERO);
        }
    }

    /** Stops; the result comes when a run that is under way has ended. */
    public Uni<Void> stop() {
        return Uni.createFrom().completionStage(this::askToStop);
    }

    private synchronized CompletableFuture<Void> askToStop() {
        restart = false;
        if (state == State.RUNNING) {
            state = State.STOPPING;
        } else if (state == State.WAITING) {
            if (next != null) {
                next.cancel(false);
            }
            end();
        }
        return stopped;
    }

    private void end() {
        state = State.STOPPED;
        stopped.complete(null);
    }

    /** The progress of the loop; a loop that stops has none to make. */
    public synchronized TaskProgress progress() {
        var now = System.nanoTime();
        var last = succeededAt;
        var expected = state == State.WAITING || state == State.RUNNING;
        return new TaskProgress(
                last == null ? null : Duration.ofNanos(now - last),
                expected ? since(dueAt, now) : Duration.ZERO,
                expected ? since(successDueAt, now) : Duration.ZERO);
    }

    /** Whether it waits for the next run, without a wake-up that is still to be followed. */
    public synchronized boolean isResting() {
        return state == State.WAITING && !dueAtOnce;
    }

    private static Duration since(long due, long now) {
        return Duration.ofNanos(Math.max(0, now - due));
    }

    private synchronized void schedule(Duration delay) {
        state = State.WAITING;
        dueAt = System.nanoTime() + delay.toNanos();
        dueAtOnce = !delay.isPositive();
        next = timer.schedule(this::run, delay);
    }

    private void run() {
        if (begin()) {
            Uni.createFrom().deferred(duty::runOnce).subscribe().with(this::succeeded, this::failed);
        }
    }

    private synchronized boolean begin() {
        if (state != State.WAITING) {
            return false;
        }
        state = State.RUNNING;
        woken = false;
        return true;
    }

    private synchronized void succeeded(Duration delay) {
        failures = 0;
        logged = null;
        var now = System.nanoTime();
        succeededAt = now;
        successDueAt = now + delay.toNanos();
        again(delay);
    }

    private synchronized void failed(Throwable failure) {
        log(failure);
        woken = false;
        again(Duration.ofMillis(FIRST_BACKOFF_MS << Math.min(failures++, MAX_DOUBLINGS)));
    }

    /** Logs a failure that is new: what fails over and over fails for the same reason. */
    private void log(Throwable failure) {
        var reason = failure.toString();
        if (isLoggedByThrower(failure) || reason.equals(logged)) {
            LOG.debugf("%s failed: %s", name, reason);
            return;
        }
        if (logged != null) {
            LOG.warnf("%s failed again: %s", name, reason);
        } else if (hasTrace(failure)) {
            LOG.errorf(failure, "%s failed, will be tried again", name);
        } else {
            LOG.errorf("%s failed, will be tried again: %s", name, reason);
        }
        logged = reason;
    }

    /** Whether it is an exception of our own that was expected. Those of the database have no trace either. */
    private static boolean isLoggedByThrower(Throwable failure) {
        return !hasTrace(failure) && failure.getClass().getPackageName().startsWith("io.taskexec.");
    }

    private static boolean hasTrace(Throwable failure) {
        return failure.getStackTrace().length > 0;
    }

    private void again(Duration delay) {
        if (state == State.STOPPING) {
            var startAgain = restart;
            restart = false;
            end();
            if (startAgain) {
                start();
            }
        } else {
            schedule(woken ? Duration.ZERO : delay);
        }
    }
}
