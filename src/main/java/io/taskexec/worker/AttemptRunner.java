package io.taskexec.worker;

import jakarta.inject.Singleton;
import java.util.function.Consumer;

/** Runs attempts on the event loops. */
@Singleton
final class AttemptRunner implements Slots.Runner {
    private final Pipeline pipeline;
    private final EventLoops loops;
    private final WorkerIdentity worker;

    AttemptRunner(Pipeline pipeline, EventLoops loops, WorkerIdentity worker) {
        this.pipeline = pipeline;
        this.loops = loops;
        this.worker = worker;
    }

    @Override
    public void run(Lease lease, Runnable ended, Consumer<Boolean> finished) {
        loops.run(() -> pipeline.run(lease, worker.id(), ended, finished));
    }
}
