package io.taskexec.lease;

import io.smallrye.mutiny.Uni;
import io.taskexec.lease.HeldLeases.Notice;
import io.taskexec.lease.PullCall.Answer;
import io.taskexec.lease.PullCall.Handed;
import io.taskexec.loop.Duty;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.TaskProgress;
import io.taskexec.model.delivery.Claim;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.pull.PullQueues.PullQueue;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of pull workers: one claim for all that wait, however many they are, and no statement while
 * none waits.
 */
@Singleton
public final class LeaseBroker implements Duty {
    private static final Logger LOG = Logger.getLogger(LeaseBroker.class);

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
    private final HeldLeases held;
    private final LeaseStore leases;
    private final DueSignal dueSignal;
    private final LeaseMetrics metrics;
    private final Loop loop;
    private final Set<PullCall> calls = ConcurrentHashMap.newKeySet();
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

    LeaseBroker(
            PullClaims claims,
            PullQueues queues,
            HeldLeases held,
            LeaseStore leases,
            DueSignal dueSignal,
            LeaseMetrics metrics,
            LoopTimer timer) {
        this.claims = claims;
        this.queues = queues;
        this.held = held;
        this.leases = leases;
        this.dueSignal = dueSignal;
        this.metrics = metrics;
        this.loop = new Loop("claiming executions for pull workers", this, timer);
        metrics.measure(calls::size, held::size);
    }

    void start() {
        dueSignal.onSignal(Work.PULLED, this::look);
        loop.start();
    }

    /** Answers all who wait, and those who come, without leases, and claims nothing any more. */
    Uni<Void> stop() {
        stopping = true;
        return loop.stop().invoke(this::answerAll);
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
        calls.add(call);
        if (call.isGone()) {
            calls.remove(call);
        } else if (stopping) {
            answerAll();
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
        for (var call : List.copyOf(calls)) {
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
        finish(call, new Answer(call.sorted(), List.of()));
        taken.decrementAndGet();
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

    /** Releases leases that no worker got: their executions are due again at once. */
    void handBackClaims(List<Claim> unsent) {
        if (unsent.isEmpty()) {
            return;
        }
        metrics.handedBack(unsent.size());
        leases.handBack(unsent, Duration.ZERO)
                .subscribe()
                .with(
                        _ -> {},
                        failure -> LOG.warnf(
                                "%d executions could not be handed back: they are due when their leases end",
                                unsent.size()));
    }

    @Override
    public Uni<Duration> runOnce() {
        if (stopping) {
            answerAll();
        }
        tell();
        var now = System.nanoTime();
        endWaits(calls.stream().filter(PullCall::isFull).toList(), now);
        var present = wanting();
        if (present.isEmpty()) {
            isToLook = false;
            return Uni.createFrom().item(untilDeadline(now, IDLE));
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
        return queues.of(namesOf(present))
                .chain(found -> claimFor(present, found)
                        .invoke(() -> answer(present))
                        .chain(() -> sleep(present, found, heard)))
                .onFailure()
                .invoke(failure -> fail(present, failure));
    }

    /** Those that wait for leases. */
    private List<PullCall> wanting() {
        return calls.stream().filter(call -> !call.isFull()).toList();
    }

    private Duration vainPause(List<PullCall> present) {
        var now = System.nanoTime();
        var isAwaited = present.stream().anyMatch(call -> call.nanosLeft(now) <= 0);
        return vainLooks < VAIN_LOOKS || isAwaited ? Duration.ZERO : BETWEEN_VAIN_LOOKS.minusNanos(now - lookedAt);
    }

    /** Answers those whose workers are to stop something. */
    private void tell() {
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

    private void answerAll() {
        calls.forEach(call -> finish(call, Answer.EMPTY));
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

    private void fail(List<PullCall> present, Throwable failure) {
        present.forEach(call -> {
            calls.remove(call);
            // What a call was answered with runs already.
            if (call.fail(failure)) {
                handBackClaims(
                        call.got().stream().map(one -> one.lease().claim()).toList());
            }
        });
    }

    private static Set<String> namesOf(Collection<PullCall> some) {
        return some.stream()
                .flatMap(call -> call.request().endpoints().stream())
                .collect(Collectors.toSet());
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
        var allocation = Allocation.of(wants, empty, turn++, PullClaims.MOST);
        return allocation.limits().isEmpty() || roundsLeft == 0
                ? Uni.createFrom().voidItem()
                : claims.claim(open, allocation, found).chain(exhausted -> {
                    empty.addAll(exhausted);
                    return rounds(open, found, empty, roundsLeft - 1);
                });
    }

    private void answer(List<PullCall> present) {
        var isVain = true;
        for (var call : present) {
            if (!call.got().isEmpty()) {
                isVain = false;
                finish(call, new Answer(call.sorted(), List.of()));
            }
        }
        endWaits(present, System.nanoTime());
        vainLooks = isVain ? vainLooks + 1 : 0;
    }

    /** Nothing is due for these calls, and those that have waited long enough are told so. */
    private void endWaits(List<PullCall> looked, long now) {
        for (var call : looked) {
            call.looked();
            if (call.isOver(now)) {
                finish(call, Answer.EMPTY);
            }
        }
    }

    private Duration waitOn(List<PullCall> present, long now) {
        endWaits(present, now);
        return untilDeadline(now, Duration.ofNanos(nothingDue.until() - now));
    }

    /** How long until a call is to be answered, at most so long. */
    private Duration untilDeadline(long now, Duration atMost) {
        return Duration.ofNanos(calls.stream()
                .mapToLong(call -> Math.max(0, call.nanosLeft(now)))
                .reduce(atMost.toNanos(), Math::min));
    }

    private Uni<Duration> sleep(List<PullCall> looked, Map<String, PullQueue> found, long heard) {
        var longest = dueSignal.longestSleep(BETWEEN_POLLS);
        var isAwaited = !wanting().isEmpty();
        var bound = untilDeadline(System.nanoTime(), isAwaited ? longest : IDLE);
        // It looks again at once when it was woken meanwhile.
        if (isToLook || found.isEmpty() || ((!isAwaited || bound.isZero()) && !isCalm(looked))) {
            return Uni.createFrom().item(bound);
        }
        var groups = new HashMap<Integer, Set<String>>();
        var soonest = Uni.createFrom().item(longest);
        for (var group : byLeastUrgent(looked).entrySet()) {
            var names = new HashSet<>(namesOf(group.getValue()));
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
            return untilDeadline(now, due.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : due);
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

    /** The endpoints whose executions a worker waits for. */
    Set<String> awaited() {
        return namesOf(wanting());
    }
}
