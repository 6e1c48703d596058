package io.taskexec.lease;

import io.taskexec.lease.HeldLeases.Notice;
import io.taskexec.resolve.Resolution;
import io.taskexec.store.execution.PulledClaims;
import io.taskexec.store.execution.PulledClaims.Pulled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A request for leases that waits for its answer. */
final class PullCall {
    /** A call that waits for less is for what is due now, whether or not this process has had a signal of it. */
    private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(1);

    private final LeaseRequest request;
    private final @Nullable String keyId;
    private final Predicate<String> mayWork;
    private final UUID workerId;
    private final boolean patient;
    private final long deadline;
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final List<Handed> got = new ArrayList<>();
    private int size;
    private boolean looked;
    private boolean gone;

    /**
     * An execution for a worker.
     *
     * @param size the characters of its input and of the results of its parents
     */
    record Handed(HeldLease lease, Pulled pulled, Resolution.Pulled resolution, int size) {}

    /** The answer to a request. */
    record Answer(List<Handed> leases, List<Notice> notices) {
        static final Answer EMPTY = new Answer(List.of(), List.of());
    }

    /**
     * @param keyId of the sender; null for one without an id
     * @param mayWork whether the sender may work for an endpoint
     */
    PullCall(LeaseRequest request, @Nullable String keyId, Predicate<String> mayWork) {
        this.request = request;
        this.keyId = keyId;
        this.mayWork = mayWork;
        this.workerId = request.workerId();
        this.patient = request.patience().compareTo(SHORTEST_PATIENCE) >= 0;
        this.deadline = System.nanoTime() + request.patience().toNanos();
    }

    LeaseRequest request() {
        return request;
    }

    @Nullable
    String keyId() {
        return keyId;
    }

    int leastUrgent() {
        return request.leastUrgent();
    }

    UUID workerId() {
        return workerId;
    }

    /** Whether it may be answered with a notice: names of workers are anyone's choice, and keys are not. */
    boolean mayHear(Notice notice) {
        return workerId.equals(notice.workerId()) && mayWork.test(notice.endpoint());
    }

    CompletableFuture<Answer> answer() {
        return answer;
    }

    /** How many leases it still takes. */
    synchronized int room() {
        return isFull() ? 0 : request.max() - got.size();
    }

    /** Whether it waits for what its worker is to stop, and for no leases. */
    boolean isFull() {
        return request.full();
    }

    /**
     * Returns false when it has all that it takes, or no room for one so large: a claim and a creation may both have
     * one for it at once, and sizes are only known when all values are.
     */
    synchronized boolean give(Handed handed) {
        if (got.size() >= request.max() || !hasRoom(size, handed.size())) {
            return false;
        }
        size += handed.size();
        return got.add(handed);
    }

    /** Whether an answer with so many characters takes one with so many more; a larger one goes alone. */
    static boolean hasRoom(int size, int more) {
        return size == 0 || size + more <= PulledClaims.MOST_CHARACTERS;
    }

    synchronized List<Handed> got() {
        return List.copyOf(got);
    }

    /** The characters of the inputs and results that it got. */
    synchronized int size() {
        return size;
    }

    /** The leases that it got, the most urgent first. */
    synchronized List<Handed> sorted() {
        return got.stream()
                .sorted(Comparator.comparing(Handed::pulled, Pulled.FIRST_DUE))
                .toList();
    }

    /** Whether it may wait for a signal without a look of its own. */
    boolean isPatient() {
        return patient;
    }

    /** What is due was looked for since it came, or need not be. */
    void looked() {
        looked = true;
    }

    /** Whether it is answered without leases now. */
    synchronized boolean isOver(long now) {
        return looked && got.isEmpty() && deadline - now <= 0;
    }

    long nanosLeft(long now) {
        return looked ? deadline - now : 0;
    }

    /** Answers; returns false when the client has gone, or has its answer. */
    synchronized boolean complete(Answer result) {
        return !gone && answer.complete(result);
    }

    /** Whether the client has its answer, which a claim and a creation at the same time may both have for it. */
    boolean isAnswered() {
        return answer.isDone();
    }

    /** The leases that it was answered with. */
    List<Handed> answered() {
        return answer.isDone() && !answer.isCompletedExceptionally()
                ? answer.join().leases()
                : List.of();
    }

    /** Answers with a failure, unless the client has an answer. */
    void fail(Throwable failure) {
        var _ = answer.completeExceptionally(failure);
    }

    /** The client has gone. Returns the answer that it did not get; null when there was none yet. */
    synchronized @Nullable Answer abandon() {
        gone = true;
        return answer.isDone() && !answer.isCompletedExceptionally() ? answer.join() : null;
    }

    synchronized boolean isGone() {
        return gone;
    }
}
