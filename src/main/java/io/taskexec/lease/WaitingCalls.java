package io.taskexec.lease;

import io.taskexec.lease.HeldLeases.Notice;
import io.taskexec.lease.PullCall.Answer;
import io.taskexec.lease.PullCall.Handed;
import io.taskexec.model.delivery.Claim;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The requests of pull workers that wait in this process, and their answers. */
@Singleton
final class WaitingCalls {
    private final HeldLeases held;
    private final PullClaims claims;
    private final LeaseMetrics metrics;
    private final Set<PullCall> calls = ConcurrentHashMap.newKeySet();

    WaitingCalls(HeldLeases held, PullClaims claims, LeaseMetrics metrics) {
        this.held = held;
        this.claims = claims;
        this.metrics = metrics;
        metrics.measure(calls::size, held::size);
    }

    int size() {
        return calls.size();
    }

    boolean isEmpty() {
        return calls.isEmpty();
    }

    List<PullCall> all() {
        return List.copyOf(calls);
    }

    /** Those that wait for leases. */
    List<PullCall> wanting() {
        return calls.stream().filter(call -> !call.isFull()).toList();
    }

    /** Those that wait for what their workers are to stop, and for no leases. */
    List<PullCall> full() {
        return calls.stream().filter(PullCall::isFull).toList();
    }

    /** The keys of those who wait. */
    Set<String> keyIds() {
        return calls.stream().flatMap(call -> Stream.ofNullable(call.keyId())).collect(Collectors.toSet());
    }

    /** Answers those who wait with one of these keys, without leases. */
    void endWaitsOf(Set<String> keyIds) {
        calls.stream()
                .filter(call -> call.keyId() != null && keyIds.contains(call.keyId()))
                .forEach(call -> finish(call, Answer.EMPTY));
    }

    /** The endpoints whose executions a worker waits for. */
    Set<String> awaited() {
        return namesOf(wanting());
    }

    static Set<String> namesOf(Collection<PullCall> some) {
        return some.stream()
                .flatMap(call -> call.request().endpoints().stream())
                .collect(Collectors.toSet());
    }

    /** The time until the first call is to be answered, at most {@code atMost}. */
    Duration untilDeadline(long now, Duration atMost) {
        return Duration.ofNanos(calls.stream()
                .mapToLong(call -> Math.max(0, call.nanosLeft(now)))
                .reduce(atMost.toNanos(), Math::min));
    }

    /** Returns false when its client has gone meanwhile. */
    boolean add(PullCall call) {
        calls.add(call);
        if (call.isGone()) {
            calls.remove(call);
            return false;
        }
        return true;
    }

    /** Returns false when it waits no more. */
    boolean remove(PullCall call) {
        return calls.remove(call);
    }

    /** Answers a call with what it was given. */
    void answer(PullCall call) {
        finish(call, new Answer(call.sorted(), List.of()));
    }

    void answerAll() {
        calls.forEach(call -> finish(call, Answer.EMPTY));
    }

    /** Answers those whose workers are to stop something. */
    void tell() {
        var asking = calls.stream().collect(Collectors.groupingBy(PullCall::workerId));
        var told = new HashMap<PullCall, List<Notice>>();
        held.takeNotices(notice -> {
            var heard = asking.getOrDefault(notice.workerId(), List.of()).stream()
                    .filter(call -> call.mayHear(notice))
                    .findFirst();
            heard.ifPresent(
                    call -> told.computeIfAbsent(call, _ -> new ArrayList<>()).add(notice));
            return heard.isPresent();
        });
        told.forEach((call, notices) -> finish(call, new Answer(List.of(), notices)));
    }

    /** Nothing is due for these calls, and those that have waited long enough are told so. */
    void endWaits(List<PullCall> looked, long now) {
        for (var call : looked) {
            call.looked();
            if (call.isOver(now)) {
                finish(call, Answer.EMPTY);
            }
        }
    }

    private void finish(PullCall call, Answer answer) {
        calls.remove(call);
        var unsent = notIn(call.answered(), answer.leases());
        unsent.forEach(handed -> held.add(handed.lease()));
        if (call.complete(answer)) {
            metrics.handedOut(answer.leases().size());
        } else {
            // What it was answered with runs already.
            handBack(notIn(call.answered(), unsent));
        }
    }

    private static List<Handed> notIn(List<Handed> answered, List<Handed> leases) {
        return answered.isEmpty()
                ? leases
                : leases.stream().filter(handed -> !answered.contains(handed)).toList();
    }

    void fail(List<PullCall> some, Throwable failure) {
        some.forEach(call -> {
            calls.remove(call);
            call.fail(failure);
            // What a call was answered with runs already.
            handBackClaims(notIn(call.answered(), call.got()).stream()
                    .map(one -> one.lease().claim())
                    .toList());
        });
    }

    /** The client of a call has gone: what it did not get is due again at once. */
    void abandon(PullCall call) {
        calls.remove(call);
        var answer = call.abandon();
        if (answer != null) {
            handBack(answer.leases());
        }
    }

    private void handBack(List<Handed> handed) {
        handed.forEach(one -> held.remove(one.lease()));
        handBackClaims(handed.stream().map(one -> one.lease().claim()).toList());
    }

    /** Releases leases that no worker got, which does not fail. */
    void handBackClaims(List<Claim> unsent) {
        metrics.handedBack(unsent.size());
        claims.handBack(unsent).subscribe().with(_ -> {});
    }
}
