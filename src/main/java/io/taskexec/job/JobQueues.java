package io.taskexec.job;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.endpoint.Queue;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.endpoint.QueueStore;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds the queues that jobs name themselves. One that is cached may have been deleted since; the insert refuses its
 * jobs then, and it is asked for again.
 */
@Singleton
final class JobQueues {
    private static final int MAX_ENTRIES = 10_000;

    private final QueueStore store;
    private final AsyncCache<String, @Nullable Queue> cache =
            Caffeine.newBuilder().maximumSize(MAX_ENTRIES).buildAsync();

    JobQueues(QueueStore store) {
        this.store = store;
    }

    /**
     * The queue of this name; fails with INVALID_QUEUE_REF when there is none.
     *
     * @param pointer the field of the request that names it
     */
    Uni<Queue> find(String name, String pointer) {
        return Uni.createFrom()
                .completionStage(
                        () -> cache.get(name, (key, _) -> store.find(key).subscribeAsCompletionStage())
                                // The load is shared: a client that goes away must not cancel it for the others.
                                .copy())
                .map(queue -> {
                    if (queue == null) {
                        throw missing(name, pointer);
                    }
                    return queue;
                });
    }

    /** A queue that was found may not be there any more. */
    void forget(@Nullable String name) {
        if (name != null) {
            cache.synchronous().invalidate(name);
        }
    }

    private static ApiException missing(String name, String pointer) {
        return new ApiException(
                ErrorCode.INVALID_QUEUE_REF,
                "The queue '%s' does not exist.".formatted(name),
                List.of(new Detail(pointer, "must name a queue that exists")));
    }

    /** The fingerprint of a request that names a queue: without one it is what it was before jobs could. */
    static UUID mark(UUID fingerprint, @Nullable String queue) {
        return queue == null ? fingerprint : Fingerprint.of(fingerprint, queue);
    }
}
