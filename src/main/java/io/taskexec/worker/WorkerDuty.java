package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import org.jspecify.annotations.Nullable;

/** A duty of the worker role beside polling. Each one is a bean; {@link Worker} runs all of them. */
interface WorkerDuty extends Duty {
    /** Its name in the log, such as "renewing leases". */
    String name();

    /** Its name in the health checks; null when executions do not depend on it. */
    default @Nullable String progressName() {
        return null;
    }

    /** Whether it looks at once when the virtual clock has been moved. */
    default boolean followsClock() {
        return false;
    }

    /** Called once all duties have stopped. */
    default Uni<Void> leave() {
        return Uni.createFrom().voidItem();
    }
}
