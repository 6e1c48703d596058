package io.taskexec.api;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Execution;
import io.taskexec.model.Job;
import io.taskexec.model.Trigger;
import io.taskexec.store.CancelStore;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Cancels jobs and executions, or says why that cannot be done. */
@Singleton
class Cancellation {
    private final CancelStore store;

    Cancellation(CancelStore store) {
        this.store = store;
    }

    /** What '?force=' says. */
    static boolean isForced(@Nullable String force) {
        return Flags.parse("force", force);
    }

    /** @param force also cancels an execution that runs */
    Uni<Void> cancel(Job job, boolean force) {
        return switch (job.trigger()) {
            case Trigger.Scheduled _ -> store.retire(job.id());
            case Trigger.Immediate _, Trigger.Delayed _ -> cancel(job.execution(), force);
        };
    }

    /** @param force also cancels an execution that runs */
    Uni<Void> cancel(@Nullable Execution execution, boolean force) {
        return execution == null
                ? Uni.createFrom().failure(notCancellable())
                : store.cancel(execution.id(), force)
                        .invoke(Cancellation::check)
                        .replaceWithVoid();
    }

    private static void check(boolean cancelled) {
        if (!cancelled) {
            throw notCancellable();
        }
    }

    private static ApiException notCancellable() {
        return new ApiException(
                ErrorCode.EXECUTION_NOT_CANCELLABLE,
                "The execution has ended, or runs at the moment and can only be cancelled with ?force=true.");
    }
}
