package io.taskexec.client.worker;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Threads for what computes, as many as there are processors. */
final class CpuPool implements Executor {
    private final ExecutorService threads;
    private final ThreadLocal<Boolean> isMine = ThreadLocal.withInitial(() -> false);

    CpuPool(int size) {
        threads = Executors.newFixedThreadPool(size, run -> {
            var thread = new Thread(
                    () -> {
                        isMine.set(true);
                        run.run();
                    },
                    "taskexec-cpu");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Whether this is a thread of the pool. */
    boolean isMine() {
        return isMine.get();
    }

    @Override
    public void execute(Runnable work) {
        threads.execute(work);
    }

    /** Computes on a thread of the pool: this one, when it is, so that nothing waits for itself. */
    <R extends @Nullable Object> R call(Callable<R> work) throws Exception {
        if (isMine.get()) {
            return work.call();
        }
        var result = threads.submit(work);
        try {
            return result.get();
        } catch (InterruptedException e) {
            result.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception exception) {
                throw exception;
            }
            throw e;
        }
    }

    void stop() {
        threads.shutdownNow();
    }
}
