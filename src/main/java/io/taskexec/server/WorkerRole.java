package io.taskexec.server;

import io.smallrye.mutiny.Uni;
import io.taskexec.config.Role;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.worker.Worker;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Starts and stops the worker role. */
@Singleton
final class WorkerRole {
    private final Worker worker;
    private final DueSignal dueSignal;
    private final CancelSignal cancelSignal;
    private final RoleProgress progress;

    WorkerRole(Worker worker, DueSignal dueSignal, CancelSignal cancelSignal, RoleProgress progress) {
        this.worker = worker;
        this.dueSignal = dueSignal;
        this.cancelSignal = cancelSignal;
        this.progress = progress;
    }

    void start() {
        progress.watch(Role.WORKER, worker::progress);
        dueSignal.onSignal(Work.PUSHED, worker::wake);
        cancelSignal.onCancel(worker::cancel);
        worker.start();
    }

    /** Lets executions end within the time allowed, and hands the rest back. */
    Uni<Void> stop() {
        return worker.stop();
    }

    /** The time that {@link #stop} lets executions run. */
    Duration shutdownTimeout() {
        return worker.shutdownTimeout();
    }
}
