package io.taskexec.chaos;

import io.taskexec.chaos.Fault.Kind;
import io.taskexec.chaos.Fault.Victim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Two faults at once, over and over, in the order of a seed. */
final class Strikes {
    private static final Duration AFTER_LEASE = Duration.ofSeconds(2);
    private static final int LONGEST_PAUSE_MS = 2_000;

    private final Fleet fleet;
    private final Recovery recovery;
    private final Duration lease;
    private final Random random;
    private final Deque<Fault> deck = new ArrayDeque<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private final List<Duration> recoveries = new ArrayList<>();
    private final Set<String> struck = new HashSet<>();

    Strikes(Fleet fleet, Recovery recovery, Duration lease, long seed) {
        this.fleet = fleet;
        this.recovery = recovery;
        this.lease = lease;
        this.random = new Random(seed);
    }

    /** Strikes until that time is over and every fault has happened, each as often as any other. */
    void strikeFor(Duration time) throws InterruptedException, ExecutionException {
        var end = Instant.now().plus(time);
        do {
            deck.addAll(Fault.deck(random));
            while (!deck.isEmpty()) {
                strike();
            }
        } while (Instant.now().isBefore(end));
    }

    private void strike() throws InterruptedException, ExecutionException {
        recovery.noteWorkers();
        var hit = new HashSet<String>();
        var repairs = new ArrayList<Callable<Void>>();
        var moment = Instant.now();
        for (var fault : draw()) {
            var _ = counts.merge(fault.toString(), 1, Integer::sum);
            repairs.add(fault.victim() == Victim.DATABASE ? strikeDatabase(fault.kind()) : strikeMember(fault, hit));
        }
        struck.addAll(hit);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = repairs.stream().map(executor::submit).toList();
            recoveries.add(recovery.awaitSince(moment, hit));
            for (Future<Void> repair : running) {
                var _ = repair.get();
            }
        }
        Thread.sleep(random.nextInt(LONGEST_PAUSE_MS));
    }

    /** The next two; there is only one database to be struck. */
    private List<Fault> draw() {
        var first = deck.pop();
        var second = deck.stream()
                .filter(fault -> first.victim() != Victim.DATABASE || fault.victim() != Victim.DATABASE)
                .findFirst();
        second.ifPresent(deck::remove);
        return Stream.concat(Stream.of(first), second.stream()).toList();
    }

    private Callable<Void> strikeDatabase(Kind kind) {
        if (kind == Kind.KILL) {
            fleet.server().crash();
        } else {
            fleet.server().stop();
        }
        var pause = random.nextInt(LONGEST_PAUSE_MS);
        return () -> {
            Thread.sleep(pause);
            fleet.server().startAgain();
            return null;
        };
    }

    private Callable<Void> strikeMember(Fault fault, Set<String> hit) {
        var candidates = fleet.members(fault.victim()).stream()
                .filter(member -> !hit.contains(member.host()))
                .toList();
        var member = candidates.get(random.nextInt(candidates.size()));
        hit.add(member.host());
        member.strike(fault.kind());
        var pause = fault.kind() == Kind.FREEZE
                ? lease.plus(AFTER_LEASE)
                : Duration.ofMillis(random.nextInt(LONGEST_PAUSE_MS));
        return () -> {
            member.recover(fault.kind(), pause);
            return null;
        };
    }

    /** How often each fault happened. */
    Map<String, Integer> counts() {
        return new HashMap<>(counts);
    }

    /** How long it took after each strike until all went on. */
    List<Duration> recoveries() {
        return List.copyOf(recoveries);
    }

    /** The hosts that were ever struck. */
    Set<String> struck() {
        return Set.copyOf(struck);
    }
}
