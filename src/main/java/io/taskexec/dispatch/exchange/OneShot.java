package io.taskexec.dispatch.exchange;

import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.model.delivery.Outcome;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One delivery that is under way. Its answer, its failure, its timer and its cancellation may come at any moment and
 * on any thread: the first of them decides, and the rest is ignored. The outcome is emitted on the thread that asked
 * for it.
 */
public abstract class OneShot {
    private final UniEmitter<? super Outcome> emitter;
    private final ContextInternal context;
    private final Thread caller = Thread.currentThread();
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable Future<?> timer;

    protected OneShot(Vertx vertx, UniEmitter<? super Outcome> emitter) {
        this.emitter = emitter;
        this.context = (ContextInternal) vertx.getOrCreateContext();
    }

    /** Begins the delivery, which has {@code timeout} for everything. */
    public final void start(Duration timeout) {
        // The timeouts of a client start again with each byte that arrives.
        timer = context.nettyEventLoop()
                .schedule(
                        () -> context.runOnContext(_ -> finish(onTimeout())),
                        timeout.toMillis(),
                        TimeUnit.MILLISECONDS);
        var _ = emitter.onTermination(this::cancel);
        begin();
    }

    protected abstract void begin();

    /** The outcome when the timer is first. */
    protected abstract Outcome onTimeout();

    /**
     * Releases what the delivery holds. Runs once, when it is decided; what begins later must look at
     * {@link #isOver}.
     */
    protected abstract void release();

    /** Ends the delivery with {@code outcome} unless it is over. */
    protected final void finish(Outcome outcome) {
        if (over.compareAndSet(false, true)) {
            try {
                end();
            } finally {
                emit(outcome);
            }
        }
    }

    protected final boolean isOver() {
        return over.get();
    }

    private void cancel() {
        if (over.compareAndSet(false, true)) {
            end();
        }
    }

    private void end() {
        var started = timer;
        if (started != null) {
            var _ = started.cancel(false);
        }
        release();
    }

    private void emit(Outcome outcome) {
        if (Thread.currentThread().equals(caller)) {
            emitter.complete(outcome);
        } else {
            context.runOnContext(_ -> emitter.complete(outcome));
        }
    }
}
