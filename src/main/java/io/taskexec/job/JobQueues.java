package io.taskexec.job;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.job.RegisteredEndpoints.Registered;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.queue.Queue;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.job.QueueTtls;
import io.taskexec.store.sql.SharedReads;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the queues that jobs name themselves. One that is cached may have been deleted since; the insert refuses its
 * jobs then, and it is asked for again.
 */
@Singleton
final class JobQueues {
    private static final int MAX_ENTRIES = 10_000;

    /** The refusal of a queue for a job of a WORKER endpoint. */
    static final String OF_WORKERS = "must be left out: the executions of a WORKER endpoint have a queue of their own";

    private final QueueTtls ttls;
    private final SharedReads<String, @Nullable Queue> queues;

    JobQueues(QueueStore store, QueueTtls ttls) {
        this.ttls = ttls;
        this.queues = new SharedReads<>(Caffeine.newBuilder().maximumSize(MAX_ENTRIES), store::find);
    }

    /** The job as it is to be stored: with the time to live of its queue, when it states none. */
    Uni<NewJob> settled(NewJob job) {
        return ttls.applied(job);
    }

    /** The queue that a job names itself; without one it is in that of its endpoint. */
    record Placing(@Nullable Queue queue) {
        boolean isNamed() {
            return queue != null;
        }

        int id(Registered endpoint) {
            return queue == null ? endpoint.queue().id() : queue.id();
        }
    }

    /**
     * Does something with the queue that a request names. What finds the endpoint changed may have found the queue
     * deleted, which is asked for again then.
     */
    <T> Uni<@Nullable T> queued(
            Registered endpoint, @Nullable String queue, Fields fields, Function<Placing, Uni<@Nullable T>> use) {
        if (queue == null) {
            return use.apply(new Placing(null));
        }
        if (endpoint.type() == EndpointType.WORKER) {
            fields.violation("queue", OF_WORKERS);
            fields.check();
        }
        Uni<@Nullable T> used = find(queue, fields.pointer("queue")).chain(found -> use.apply(new Placing(found)));
        return used.invoke(done -> {
            if (done == null) {
                forget(queue);
            }
        });
    }

    /**
     * The queue of this name; fails with INVALID_QUEUE_REF when there is none.
     *
     * @param pointer the field of the request that names it
     */
    Uni<Queue> find(String name, String pointer) {
        return queues.get(name).map(queue -> {
            if (queue == null) {
                throw missing(name, pointer);
            }
            return queue;
        });
    }

    /** A queue that was found may not be there any more. */
    void forget(@Nullable String name) {
        if (name != null) {
            queues.forget(name);
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
