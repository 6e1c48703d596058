package io.taskexec.api.filter;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.PreRoutingErrors;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets requests in until the process is about to take down what answers them. The server still accepts connections
 * then, and without this their requests would fail somewhere on the way.
 */
@Singleton
public final class DrainFilter {
    /** Before any other look at a request. */
    private static final int FIRST = 10_003;

    private final PreRoutingErrors errors;
    private final AtomicInteger underWay = new AtomicInteger();
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private volatile boolean closed;

    DrainFilter(PreRoutingErrors errors) {
        this.errors = errors;
    }

    void register(@Observes Filters filters) {
        var _ = filters.register(this::admit, FIRST);
    }

    /** Answers 503 from now on; completes when all requests that were let in have their answers. */
    public Uni<Void> close() {
        closed = true;
        completeIfIdle();
        return Uni.createFrom().completionStage(idle);
    }

    private void admit(RoutingContext context) {
        // Counted before the look at what close() sets first, so that no request slips between the two.
        underWay.incrementAndGet();
        var _ = context.addEndHandler(_ -> leave());
        if (closed) {
            context.response().putHeader("Retry-After", "1").putHeader("Connection", "close");
            errors.write(
                    context, new ApiException(ErrorCode.UNAVAILABLE, "This process is stopping. Please try again."));
        } else {
            context.next();
        }
    }

    private void leave() {
        underWay.decrementAndGet();
        completeIfIdle();
    }

    private void completeIfIdle() {
        if (closed && underWay.get() == 0) {
            idle.complete(null);
        }
    }
}
