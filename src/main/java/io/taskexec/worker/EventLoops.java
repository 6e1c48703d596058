package io.taskexec.worker;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads on which executions run, one for each processor. Each stays on the one where it began, with the
 * connection of its call, so that its steps need not wake another.
 */
@Singleton
final class EventLoops {
    private final List<Context> loops;
    private final AtomicInteger turn = new AtomicInteger();

    EventLoops(Vertx vertx) {
        var begun = new CopyOnWriteArrayList<Context>();
        var each = new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors());
        var _ = vertx.deployVerticle(() -> new Begin(begun), each)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        loops = List.copyOf(begun);
    }

    /** Each instance is given a thread. */
    private static final class Begin extends AbstractVerticle {
        private final List<Context> begun;

        Begin(List<Context> begun) {
            this.begun = begun;
        }

        @Override
        public void start() {
            begun.add(context);
        }
    }

    /** Runs this soon, on the caller's loop when the caller runs on one, else on that whose turn it is. */
    void run(Runnable work) {
        var here = Vertx.currentContext();
        var loop = here != null && loops.contains(here)
                ? here
                : loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
        loop.runOnContext(_ -> work.run());
    }
}
