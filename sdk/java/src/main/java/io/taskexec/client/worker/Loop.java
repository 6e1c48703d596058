package io.taskexec.client.worker;

import io.taskexec.client.Backoff;
import io.taskexec.client.TaskexecException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A thread that does something again and again until it is stopped. Failures make it wait, and never end it. */
abstract class Loop {
    private static final System.Logger LOG = System.getLogger(Loop.class.getName());
    private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

    private final Thread thread;
    private final CountDownLatch hurried = new CountDownLatch(1);
    private volatile boolean isStopped;
    private long loggedAt;

    Loop(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    abstract void runOnce() throws InterruptedException;

    void start() {
        thread.start();
    }

    /** Keeps the process alive for as long as the loop runs. */
    void keepProcess() {
        thread.setDaemon(false);
    }

    boolean isStopped() {
        return isStopped;
    }

    /** Ends the loop after what it does. */
    void end() {
        isStopped = true;
    }

    /** Ends the loop after what it does, which is interrupted. */
    void interrupt() {
        isStopped = true;
        thread.interrupt();
    }

    /** Interrupts the loop, and waits for its end. */
    void stop(Duration patience) {
        interrupt();
        join(patience);
    }

    void join(Duration patience) {
        try {
            thread.join(Math.max(1, patience.toMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        var failures = 0;
        while (!isStopped) {
            try {
                runOnce();
                failures = 0;
            } catch (InterruptedException e) {
                // Only interrupt() does that.
            } catch (RuntimeException | Error e) {
                if (!isStopped) {
                    failures++;
                    pause(e, failures);
                }
            }
        }
    }

    /** Ends a pause that the server has asked for, and makes no other such one. */
    void hurry() {
        hurried.countDown();
    }

    private void pause(Throwable failure, int failures) {
        var isRefusal = failure instanceof TaskexecException;
        var now = System.nanoTime();
        if (!isRefusal || isToBeLogged(failures, Duration.ofNanos(now - loggedAt))) {
            loggedAt = now;
            LOG.log(Level.WARNING, thread.getName() + " goes on after: " + failure, isRefusal ? null : failure);
        }
        var asked = failure instanceof TaskexecException refusal ? refusal.retryAfter() : null;
        try {
            if (hurried.getCount() == 0) {
                Thread.sleep(Backoff.after(failures).toMillis());
            } else {
                hurried.await(Backoff.after(failures, asked).toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    /** The first refusal is, and one a minute of those that follow. */
    static boolean isToBeLogged(int failures, Duration sinceLast) {
        return failures == 1 || sinceLast.compareTo(BETWEEN_LINES) >= 0;
    }
}
