package io.taskexec.lease;

import io.smallrye.mutiny.Uni;
import io.taskexec.lease.PullCall.Answer;
import io.taskexec.model.TaskProgress;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.resolve.CallbackAddresses;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.pull.PullQueues.PullQueue;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The leases of pull workers: hands them out, extends and ends them. */
@Singleton
public final class PullLeases {
    private static final Logger LOG = Logger.getLogger(PullLeases.class);

    /** The time between two notes that an endpoint is asked for. */
    private static final long BETWEEN_NOTES = Duration.ofSeconds(10).toNanos();

    private final LeaseBroker broker;
    private final WaitingCalls calls;
    private final LeaseActions actions;
    private final LeaseWatch watch;
    private final HeldLeases held;
    private final PullQueues queues;
    private final CallbackAddresses addresses;
    private final Map<Integer, Long> noted = new HashMap<>();

    PullLeases(
            LeaseBroker broker,
            WaitingCalls calls,
            LeaseActions actions,
            LeaseWatch watch,
            HeldLeases held,
            PullQueues queues,
            CallbackAddresses addresses) {
        this.broker = broker;
        this.calls = calls;
        this.actions = actions;
        this.watch = watch;
        this.held = held;
        this.queues = queues;
        this.addresses = addresses;
    }

    public void start() {
        held.onNotice(broker::look);
        broker.start();
        watch.start();
    }

    /** Answers all who wait, and those who come, without leases, and claims nothing any more. */
    public Uni<Void> stop() {
        return broker.stop().chain(watch::stop);
    }

    /** The progress of the claims for pull workers. */
    public TaskProgress progress() {
        return broker.progress();
    }

    /**
     * Hands out leases; fails with an {@link ApiException}.
     *
     * @param keyId of the sender; null for one without an id
     * @param mayWork whether the sender may work for an endpoint
     * @param onGone takes what is to be called when the client goes away without the answer
     */
    public Uni<HandedOut> lease(
            LeaseRequest request, @Nullable String keyId, Predicate<String> mayWork, Consumer<Runnable> onGone) {
        request.endpoints().stream()
                .filter(endpoint -> !mayWork.test(endpoint))
                .findFirst()
                .ifPresent(endpoint -> {
                    throw new ApiException(
                            ErrorCode.FORBIDDEN, "This API key may not work for '%s'.".formatted(endpoint));
                });
        return Uni.join()
                .all(request.endpoints().stream()
                        .map(endpoint -> queues.of(endpoint).map(Optional::ofNullable))
                        .toList())
                .andFailFast()
                .invoke(found -> check(request, found))
                .invoke(found -> note(found.stream().flatMap(Optional::stream).toList()))
                .chain(() -> {
                    var call = new PullCall(request, keyId, mayWork);
                    onGone.accept(() -> calls.abandon(call));
                    broker.ask(call);
                    return Uni.createFrom().completionStage(call.answer());
                })
                .map(this::shown);
    }

    private static void check(LeaseRequest request, List<Optional<PullQueue>> found) {
        for (var i = 0; i < found.size(); i++) {
            if (found.get(i).isEmpty()) {
                var message = "must name an endpoint of type WORKER, and '%s' does not"
                        .formatted(request.endpoints().get(i));
                throw ApiException.at(ErrorCode.INVALID_REQUEST, "/endpoints/" + i, message);
            }
        }
    }

    /** Beside the request, which does not fail with it. */
    private void note(List<PullQueue> found) {
        var now = System.nanoTime();
        var due = new HashSet<Integer>();
        synchronized (noted) {
            for (var queue : found) {
                if (now - noted.getOrDefault(queue.queueId(), now - BETWEEN_NOTES) >= BETWEEN_NOTES) {
                    noted.put(queue.queueId(), now);
                    due.add(queue.queueId());
                }
            }
        }
        if (!due.isEmpty()) {
            queues.asked(due)
                    .subscribe()
                    .with(_ -> {}, failure -> LOG.debugf("that workers ask is not noted: %s", failure));
        }
    }

    private HandedOut shown(Answer answer) {
        var now = System.nanoTime();
        return new HandedOut(
                answer.leases().stream()
                        .map(handed -> HandedOut.Lease.of(handed, now, addresses))
                        .toList(),
                answer.notices().stream()
                        .map(notice -> new HandedOut.Cancelled(
                                notice.lease().toText(), notice.lease().executionId(), notice.reason()))
                        .toList());
    }

    /** Gives leases more time. */
    public Uni<List<LeaseResult>> extend(LeaseItem.Extension extension, Predicate<String> mayWork) {
        return actions.extend(extension, mayWork);
    }

    /** Ends attempts that have succeeded. */
    public Uni<List<LeaseResult>> complete(List<LeaseItem.Complete> items, Predicate<String> mayWork) {
        return actions.complete(items, mayWork);
    }

    /** Ends attempts that have failed. */
    public Uni<List<LeaseResult>> fail(List<LeaseItem.Fail> items, Predicate<String> mayWork) {
        return actions.fail(items, mayWork);
    }

    /** Leaves attempts to callbacks; fails with an {@link ApiException}. */
    public Uni<List<LeaseResult>> defer(List<LeaseItem.Defer> items, Predicate<String> mayWork) {
        return actions.defer(items, mayWork);
    }

    /** Hands attempts back. */
    public Uni<List<LeaseResult>> release(List<LeaseItem.Release> items, Predicate<String> mayWork) {
        return actions.release(items, mayWork);
    }
}
