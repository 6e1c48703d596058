package io.taskexec.lease;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.TaskProgress;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.pull.PullQueues.PullQueue;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of pull workers: one claim for all that wait, however many they are, and no statement while
 * none waits.
 */
@Singleton
public final class LeaseBroker implements Duty {
    /** Requests that wait in this process. */
    private static final int MOST_CALLS = 10_000;

    /** Claims in a row before those that have leases are answered. */
    private static final int MOST_ROUNDS = 4;

    private static final Duration IDLE = Duration.ofHours(1);

    /** The longest time without a look while other processes cannot tell of what is due. */
    private static final Duration BETWEEN_POLLS = Duration.ofMillis(500);

    /** What is due and was not found is locked by another process. */
    private static final Duration SHORTEST_SLEEP = Duration.ofMillis(2);

    /** After looks that found nothing, the time until the next one: signals are for all endpoints. */
    private static final Duration BETWEEN_VAIN_LOOKS = Duration.ofMillis(10);

    private static final int VAIN_LOOKS = 3;

    private final PullClaims claims;
    private final PullQueues queues;
    private final WaitingCalls calls;
    private final DueSignal dueSignal;
    private final Loop loop;
    private volatile boolean stopping;
    private volatile boolean isToLook;
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicLong signals = new AtomicLong();
    private volatile NothingDueUntil nothingDue = NothingDueUntil.UNKNOWN;
    private volatile CompletableFuture<Duration> untilDue = new CompletableFuture<>();

    // Of the loop alone.
    private int turn;
    private int vainLooks;
    private long lookedAt;

    LeaseBroker(PullClaims claims, PullQueues queues, WaitingCalls calls, DueSignal dueSignal, LoopTimer timer) {
        this.claims = claims;
        this.queues = queues;
        this.calls = calls;
        this.dueSignal = dueSignal;
        this.loop = new Loop("claiming executions for pull workers", this, timer);
    }

    void start() {
        dueSignal.onSignal(Work.PULLED, this::look);
        loop.start();
    }

    /** Answers all who wait, and those who come, without leases, and claims nothing any more. */
    Uni<Void> stop() {
        stopping = true;
        return loop.stop().invoke(calls::answerAll);
    }

    TaskProgress progress() {
        return loop.progress();
    }

    /** There may be something due, or a worker to be told. */
    void look() {
        signals.incrementAndGet();
        if (!calls.isEmpty()) {
            isToLook = true;
            untilDue.complete(Duration.ZERO);
            loop.wake();
        }
    }

    /** Whether nothing is being claimed, and nothing is to be looked for. */
    boolean isResting() {
        return !isToLook && taken.get() == 0 && loop.isResting();
    }

    /** Whether a worker waits. */
    boolean isAsked() {
        return !calls.isEmpty();
    }

    /** Asks for leases; fails with an {@link ApiException}. */
    void ask(PullCall call) {
        if (calls.size() >= MOST_CALLS) {
            throw new ApiException(ErrorCode.UNAVAILABLE, "Too many pull workers wait at this process.");
        }
        add(call);
    }

    private void add(PullCall call) {
        if (!calls.add(call)) {
            return;
        }
        if (stopping) {
            calls.answerAll();
        } else {
            loop.wake();
        }
    }

    /**
     * Takes a call out that waits for an execution of {@code endpoint} while nothing that is due waits there; null when
     * there is none. The caller must call {@link #answer} or {@link #giveBack} with it.
     */
    @Nullable
    PullCall take(String endpoint, int priority) {
        var now = System.nanoTime();
        for (var call : calls.all()) {
            if (!stopping
                    && !call.isFull()
                    && call.leastUrgent() >= priority
                    && call.request().endpoints().contains(endpoint)
                    && nothingDue.covers(call, signals.get(), now)
                    && calls.remove(call)) {
                taken.incrementAndGet();
                return call;
            }
        }
        return null;
    }

    /** Nothing came of it: the call goes on waiting. */
    void giveBack(PullCall call) {
        if (!call.isAnswered()) {
            add(call);
        }
        taken.decrementAndGet();
    }

    /** Answers a call with what it was given. */
    void answer(PullCall call) {
        calls.answer(call);
        taken.decrementAndGet();
    }

    @Override
    public Uni<Duration> runOnce() {
        if (stopping) {
            calls.answerAll();
        }
        calls.tell();
        var now = System.nanoTime();
        calls.endWaits(calls.full(), now);
        var present = calls.wanting();
        if (present.isEmpty()) {
            isToLook = false;
            return Uni.createFrom().item(calls.untilDeadline(now, IDLE));
        }
        if (!isToLook && present.stream().allMatch(call -> nothingDue.covers(call, signals.get(), now))) {
            return Uni.createFrom().item(waitOn(present, now));
        }
        var pause = vainPause(present);
        if (pause.isPositive()) {
            return Uni.createFrom().item(pause);
        }
        lookedAt = now;
        isToLook = false;
        var heard = signals.get();
        return queues.of(WaitingCalls.namesOf(present))
                .chain(found -> claimFor(present, found)
                        .invoke(() -> answer(present))
                        .chain(() -> sleep(present, found, heard)))
                .onFailure()
                .invoke(failure -> calls.fail(present, failure));
    }

    private Duration vainPause(List<PullCall> present) {
        var now = System.nanoTime();
        var isAwaited = present.stream().anyMatch(call -> call.nanosLeft(now) <= 0);
        return vainLooks < VAIN_LOOKS || isAwaited ? Duration.ZERO : BETWEEN_VAIN_LOOKS.minusNanos(now - lookedAt);
    }

    /** Those that want the same priorities share a claim, which has nothing for others. */
    private static Map<Integer, List<PullCall>> byLeastUrgent(List<PullCall> present) {
        return present.stream()
                .collect(Collectors.groupingBy(PullCall::leastUrgent, TreeMap::new, Collectors.toList()));
    }

    private Uni<Void> claimFor(List<PullCall> present, Map<String, PullQueue> found) {
        var claimed = Uni.createFrom().voidItem();
        for (var group : byLeastUrgent(present).values()) {
            claimed = claimed.chain(() -> rounds(group, found, new HashSet<>(), MOST_ROUNDS));
        }
        return claimed;
    }

    /** Claims until all have what they want, or nothing is due any more. */
    private Uni<Void> rounds(List<PullCall> present, Map<String, PullQueue> found, Set<String> empty, int roundsLeft) {
        var open = present.stream().filter(call -> !call.isGone()).toList();
        var wants = open.stream()
                .map(call -> new Allocation.Want(
                        call.request().endpoints().stream()
                                .filter(found::containsKey)
                                .toList(),
                        call.room()))
                .toList();
        var allocation = Allocation.of(wants, empty, turn, PullClaims.MOST);
        if (allocation.limits().isEmpty() || roundsLeft == 0) {
            // This takes no turn.
            return Uni.createFrom().voidItem();
        }
        turn++;
        return claims.claim(open, allocation, found).chain(exhausted -> {
            empty.addAll(exhausted);
            return rounds(open, found, empty, roundsLeft - 1);
        });
    }

    private void answer(List<PullCall> present) {
        var isVain = true;
        for (var call : present) {
            if (!call.got().isEmpty()) {
                isVain = false;
                calls.answer(call);
            }
        }
        calls.endWaits(present, System.nanoTime());
        vainLooks = isVain ? vainLooks + 1 : 0;
    }

    private Duration waitOn(List<PullCall> present, long now) {
        calls.endWaits(present, now);
        return calls.untilDeadline(now, Duration.ofNanos(nothingDue.until() - now));
    }

    private Uni<Duration> sleep(List<PullCall> looked, Map<String, PullQueue> found, long heard) {
        var longest = dueSignal.longestSleep(BETWEEN_POLLS);
        var isAwaited = !calls.wanting().isEmpty();
        var bound = calls.untilDeadline(System.nanoTime(), isAwaited ? longest : IDLE);
        // It looks again at once when it was woken meanwhile.
        if (isToLook || found.isEmpty() || ((!isAwaited || bound.isZero()) && !isCalm(looked))) {
            return Uni.createFrom().item(bound);
        }
        var groups = new HashMap<Integer, Set<String>>();
        var soonest = Uni.createFrom().item(longest);
        for (var group : byLeastUrgent(looked).entrySet()) {
            var names = new HashSet<>(WaitingCalls.namesOf(group.getValue()));
            names.retainAll(found.keySet());
            groups.put(group.getKey(), names);
            var wanted = names.stream()
                    .flatMap(name -> Stream.ofNullable(found.get(name)))
                    .toList();
            soonest = soonest.chain(sooner -> claims.untilNextDue(wanted, group.getKey())
                    .map(due -> due == null || due.compareTo(sooner) >= 0 ? sooner : due));
        }
        return unlessSignalled(soonest.map(due -> {
            var now = System.nanoTime();
            nothingDue = dueSignal.hearsOthers()
                    ? new NothingDueUntil(heard, groups, now + due.toNanos())
                    : NothingDueUntil.UNKNOWN;
            return calls.untilDeadline(now, due.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : due);
        }));
    }

    /** The next look does not wait for an answer that a signal has made useless. */
    private Uni<Duration> unlessSignalled(Uni<Duration> asked) {
        var answer = asked.subscribeAsCompletionStage();
        untilDue = answer;
        if (isToLook) {
            answer.complete(Duration.ZERO);
        }
        return Uni.createFrom().completionStage(answer);
    }

    /** Whether the next calls, when all have got what was due, need not look. */
    private boolean isCalm(List<PullCall> looked) {
        return dueSignal.hearsOthers() && looked.stream().allMatch(call -> call.room() > 0);
    }
}
