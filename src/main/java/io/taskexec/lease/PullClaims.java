package io.taskexec.lease;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.lease.PullCall.Handed;
import io.taskexec.model.Json;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.lease.LeaseFields;
import io.taskexec.observe.log.LogFields;
import io.taskexec.resolve.RefusedClaim;
import io.taskexec.resolve.Resolution;
import io.taskexec.resolve.Resolver;
import io.taskexec.resolve.ResultSettings;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.execution.PulledClaims;
import io.taskexec.store.execution.PulledClaims.Pulled;
import io.taskexec.store.execution.PulledClaims.Request;
import io.taskexec.store.pull.LeaseTerms;
import io.taskexec.store.pull.LeaseTerms.Term;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.pull.PullQueues.PullQueue;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.wait.OutsideResults;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Claims executions for pull workers that wait, and ends those that are not to be run. */
@Singleton
final class PullClaims {
    /** The most executions of one claim. */
    static final int MOST = 500;

    /** So many are resolved at a time when some have parents: each may have a hundred, with large results. */
    private static final int RESOLVED_AT_ONCE = 4;

    /** The time for which {@link #rooms} are kept. */
    private static final Duration ROOM_KNOWN = Duration.ofSeconds(5);

    private static final int MOST_ENDPOINTS = 10_000;

    private static final Logger LOG = Logger.getLogger(PullClaims.class);

    private final PulledClaims store;
    private final PullQueues queues;
    private final LeaseTerms terms;
    private final LeaseStore leases;
    private final RegionFilter regions;
    private final Resolver resolver;
    private final OutsideResults results;
    /** By endpoint, the number of its executions that had room when others of it had none. */
    private final Cache<String, Integer> rooms = Caffeine.newBuilder()
            .maximumSize(MOST_ENDPOINTS)
            .expireAfterWrite(ROOM_KNOWN)
            .build();

    PullClaims(
            PulledClaims store,
            PullQueues queues,
            LeaseTerms terms,
            LeaseStore leases,
            RegionFilter regions,
            Resolver resolver,
            OutsideResults results) {
        this.store = store;
        this.queues = queues;
        this.terms = terms;
        this.leases = leases;
        this.regions = regions;
        this.resolver = resolver;
        this.results = results;
    }

    /** How long until something of these queues is due that is so urgent; null when nothing waits. */
    Uni<@Nullable Duration> untilNextDue(Collection<PullQueue> of, int leastUrgent) {
        return regions.numbers().chain(own -> queues.untilNextDue(of, own, leastUrgent));
    }

    /**
     * Claims what is shared out, gives it to the calls, and returns the endpoints of which no more is due.
     *
     * @param calls that want the same priorities
     */
    Uni<Set<String>> claim(List<PullCall> calls, Allocation allocation, Map<String, PullQueue> found) {
        var limits = limits(allocation);
        // Leases of others that are longer are extended before they are handed out.
        var lease = calls.stream()
                .map(call -> call.request().lease())
                .min(Comparator.naturalOrder())
                .orElseThrow();
        var askedAt = System.nanoTime();
        return regions.numbers()
                .chain(own -> claim(limits, found, own, lease, calls.getFirst()))
                .chain(round -> {
                    var dealt = deal(calls, allocation, round.claims());
                    var taken = dealt.stream().map(Dealt::pulled).collect(Collectors.toSet());
                    var left = round.claims().stream()
                            .filter(one -> !taken.contains(one))
                            .toList();
                    return assigned(dealt, lease, calls.getFirst())
                            .chain(held -> hand(held, askedAt))
                            .map(unfit -> joined(left, unfit))
                            .invoke(unsent -> noteRooms(round.claims(), unsent))
                            .call(this::handBackPulled)
                            .onFailure()
                            .call(() -> handBackPulled(notAnswered(round.claims(), calls)))
                            // With as much as an answer may have, nothing more is claimed for it.
                            .map(unsent -> unsent.isEmpty() ? exhausted(limits, round) : limits.keySet());
                });
    }

    /** As many as are wanted, but at most twice as many as had room lately where others had none. */
    private Map<String, Integer> limits(Allocation allocation) {
        var limits = new HashMap<>(allocation.limits());
        rooms.getAllPresent(limits.keySet())
                .forEach((endpoint, room) -> limits.merge(endpoint, 2 * room, Integer::min));
        return limits;
    }

    // A small one that is left says nothing of the next claim: its call got another one meanwhile. Where all had room
    // there may be room for more.
    private void noteRooms(List<Pulled> claims, List<Pulled> unsent) {
        var large = counts(unsent.stream()
                .filter(one -> one.isWithheld() || Resolver.hasContext(one.claim()))
                .toList());
        counts(claims).forEach((endpoint, claimed) -> {
            var left = large.get(endpoint);
            if (left == null) {
                rooms.asMap().computeIfPresent(endpoint, (_, room) -> Math.max(room, claimed));
            } else {
                rooms.put(endpoint, Math.max(1, claimed - left));
            }
        });
    }

    private static Map<String, Integer> counts(List<Pulled> claims) {
        return claims.stream()
                .collect(Collectors.groupingBy(one -> one.claim().endpoint(), Collectors.summingInt(_ -> 1)));
    }

    /** Without those that a call was answered with meanwhile, by a creation at the same time: these run already. */
    private static List<Pulled> notAnswered(List<Pulled> claims, List<PullCall> calls) {
        var answered = calls.stream()
                .flatMap(call -> call.answered().stream())
                .map(Handed::pulled)
                .collect(Collectors.toSet());
        return claims.stream().filter(one -> !answered.contains(one)).toList();
    }

    /**
     * The result of a round of claims.
     *
     * @param open endpoints of which more may be due, whatever was claimed of them
     */
    private record Round(List<Pulled> claims, Set<String> open) {}

    private Uni<Round> claim(
            Map<String, Integer> limits,
            Map<String, PullQueue> found,
            List<Integer> own,
            Duration lease,
            PullCall claimant) {
        var leastUrgent = claimant.leastUrgent();
        return store.claim(new Request(byQueue(limits, found), own, leastUrgent, lease, claimant.workerId()))
                .chain(plain -> {
                    var rest = new HashMap<>(limits);
                    plain.claims().forEach(one -> rest.merge(one.claim().endpoint(), -1, Integer::sum));
                    rest.entrySet()
                            .removeIf(left -> left.getValue() <= 0
                                    || !Objects.requireNonNull(found.get(left.getKey()))
                                            .hasKeys());
                    return rest.isEmpty()
                            ? Uni.createFrom().item(new Round(plain.claims(), Set.of()))
                            : store.claimKeyed(new Request(
                                            byQueue(rest, found), own, leastUrgent, lease, claimant.workerId()))
                                    .onFailure()
                                    .call(() -> handBackPulled(plain.claims()))
                                    .map(keyed -> new Round(
                                            joined(plain.claims(), keyed.claims()),
                                            keyed.isFull() ? rest.keySet() : Set.of()));
                });
    }

    private static List<Pulled> joined(List<Pulled> some, List<Pulled> others) {
        var all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    private static Map<Integer, Integer> byQueue(Map<String, Integer> limits, Map<String, PullQueue> found) {
        return limits.entrySet().stream()
                .collect(Collectors.toMap(
                        limit -> Objects.requireNonNull(found.get(limit.getKey()))
                                .queueId(),
                        Map.Entry::getValue));
    }

    private static Set<String> exhausted(Map<String, Integer> limits, Round round) {
        var counts = counts(round.claims());
        var exhausted = new HashSet<String>();
        limits.forEach((endpoint, limit) -> {
            if (counts.getOrDefault(endpoint, 0) < limit && !round.open().contains(endpoint)) {
                exhausted.add(endpoint);
            }
        });
        return exhausted;
    }

    private record Dealt(PullCall call, Pulled pulled) {}

    private static List<Dealt> deal(List<PullCall> calls, Allocation allocation, List<Pulled> claims) {
        var dealt = new ArrayList<Dealt>(claims.size());
        var sizes = new HashMap<PullCall, Integer>();
        claims.stream()
                .filter(one -> !one.isWithheld())
                .sorted(Pulled.FIRST_DUE)
                .collect(Collectors.groupingBy(one -> one.claim().endpoint()))
                .forEach((endpoint, some) -> {
                    var takers = allocation.deal(endpoint, some.size());
                    for (var i = 0; i < takers.size(); i++) {
                        var call = calls.get(takers.get(i));
                        var pulled = some.get(i);
                        var before = sizes.computeIfAbsent(call, PullCall::size);
                        if (PullCall.hasRoom(before, pulled.size())) {
                            sizes.put(call, before + pulled.size());
                            dealt.add(new Dealt(call, pulled));
                        }
                    }
                });
        return inTurns(allocation.inTurn(calls), dealt);
    }

    /** No call gets a second one before all had a first: what comes last may find no room. */
    private static List<Dealt> inTurns(List<PullCall> calls, List<Dealt> dealt) {
        var byCall = dealt.stream()
                .sorted(Comparator.comparing(Dealt::pulled, Pulled.FIRST_DUE))
                .collect(Collectors.groupingBy(Dealt::call));
        var shares = calls.stream()
                .flatMap(call -> Stream.ofNullable(byCall.get(call)))
                .toList();
        var ordered = new ArrayList<Dealt>(dealt.size());
        for (var place = 0; ordered.size() < dealt.size(); place++) {
            for (var share : shares) {
                if (place < share.size()) {
                    ordered.add(share.get(place));
                }
            }
        }
        return ordered;
    }

    /** Returns those that are leased to their worker for its time. */
    private Uni<List<Dealt>> assigned(List<Dealt> dealt, Duration lease, PullCall claimant) {
        var others = dealt.stream()
                .filter(one -> !one.call().workerId().equals(claimant.workerId())
                        || !one.call().request().lease().equals(lease))
                .map(one -> new Term(
                        one.pulled().claim(),
                        one.call().workerId(),
                        one.call().request().lease()))
                .toList();
        if (others.isEmpty()) {
            return Uni.createFrom().item(dealt);
        }
        var changed = others.stream().map(term -> term.claim().executionId()).collect(Collectors.toSet());
        return terms.assign(others)
                .map(held -> dealt.stream()
                        .filter(one -> {
                            var id = one.pulled().claim().executionId();
                            return !changed.contains(id) || held.contains(id);
                        })
                        .toList());
    }

    /** Counts what one claim brings of the results of other jobs, and knows the calls that had no room for it. */
    private static final class Brought {
        private final AtomicInteger characters = new AtomicInteger();
        private final Set<PullCall> full = ConcurrentHashMap.newKeySet();

        /** Whether more for this call would be read only to be handed back. */
        boolean isEnough(PullCall call) {
            return characters.get() >= PulledClaims.MOST_CHARACTERS || full.contains(call);
        }

        void add(int size, PullCall call, boolean isTaken) {
            characters.addAndGet(size);
            if (!isTaken) {
                full.add(call);
            }
        }
    }

    /** Returns those for which the answers to their calls have no room. */
    private Uni<List<Pulled>> hand(List<Dealt> dealt, long askedAt) {
        var brought = new Brought();
        return dealt.stream().noneMatch(one -> Resolver.hasContext(one.pulled().claim()))
                ? handAtOnce(dealt, askedAt, brought)
                : Multi.createFrom()
                        .iterable(dealt)
                        .group()
                        .intoLists()
                        .of(RESOLVED_AT_ONCE)
                        .onItem()
                        .transformToUniAndConcatenate(some -> handAtOnce(some, askedAt, brought))
                        .collect()
                        .asList()
                        .map(steps -> steps.stream().flatMap(List::stream).toList());
    }

    private Uni<List<Pulled>> handAtOnce(List<Dealt> some, long askedAt, Brought brought) {
        return some.isEmpty()
                ? Uni.createFrom().item(List.of())
                : Uni.join()
                        .all(some.stream()
                                .map(one -> prepare(one, askedAt, brought))
                                .toList())
                        .andFailFast()
                        .map(taken -> IntStream.range(0, some.size())
                                .filter(i -> !taken.get(i))
                                .mapToObj(i -> some.get(i).pulled())
                                .toList());
    }

    /** Gives an execution to a call for whose worker it is leased, unless it is not to be run. */
    Uni<Void> give(PullCall call, Pulled pulled, long askedAt) {
        return prepare(new Dealt(call, pulled), askedAt, new Brought())
                .chain(isTaken -> isTaken ? Uni.createFrom().voidItem() : handBackPulled(List.of(pulled)));
    }

    /** Returns false when the call does not take it. */
    private Uni<Boolean> prepare(Dealt one, long askedAt, Brought brought) {
        var claim = one.pulled().claim();
        var expiresIn = claim.expiresIn();
        var refused = RefusedClaim.of(claim, expiresIn != null && !expiresIn.isPositive());
        if (refused != null) {
            return end(one, refused);
        }
        if (Resolver.hasContext(claim) && brought.isEnough(one.call())) {
            return Uni.createFrom().item(false);
        }
        return resolver.resolve(claim).chain(resolution -> switch (resolution) {
            case Resolution.Pulled pulled -> Uni.createFrom().item(give(one, pulled, askedAt, brought));
            case Resolution.Unready(var failure) -> end(one, RefusedClaim.retryable(failure));
            case Resolution.Impossible(var failure) -> end(one, RefusedClaim.permanent(failure));
            case Resolution.Skipped() -> end(one, new RefusedClaim(new Outcome.Skipped(), RetryPolicy.DEFAULT));
            // Of another type: it waits in the wrong place.
            case Resolution.Ready _, Resolution.Workflow _, Resolution.Approval _ ->
                leases.moveHome(claim).replaceWith(true);
        });
    }

    private static boolean give(Dealt one, Resolution.Pulled resolution, long askedAt, Brought brought) {
        var call = one.call();
        var pulled = one.pulled();
        var lease = new HeldLease(
                pulled.claim().withoutInput(),
                call.workerId(),
                Set.copyOf(call.request().endpoints()),
                resolution,
                pulled.priority(),
                // By the database its attempt begins later, so no process ends it before the deadline that is told.
                askedAt,
                askedAt + call.request().lease().toNanos());
        if (!Resolver.hasContext(pulled.claim())) {
            return call.give(new Handed(lease, pulled, resolution, pulled.size()));
        }
        var size = sizeOf(pulled, resolution);
        var isTaken = call.give(new Handed(lease, pulled, resolution, size));
        brought.add(size, call, isTaken);
        return isTaken;
    }

    /** The characters of an input with the values of its templates, and of the results of parents. */
    private static int sizeOf(Pulled pulled, Resolution.Pulled resolution) {
        var input = pulled.claim().options().isTemplate() ? sizeOf(resolution.input()) : pulled.size();
        return input + sizeOf(resolution.parents());
    }

    private static int sizeOf(@Nullable JsonNode tree) {
        return tree == null ? 0 : Json.write(tree).length();
    }

    private Uni<Boolean> end(Dealt one, RefusedClaim refused) {
        var claim = one.pulled().claim();
        LogFields.of(claim)
                .log(() -> LOG.debugf(
                        "execution %s is not handed out: %s",
                        PublicId.EXECUTION.show(claim.executionId()), refused.outcome()));
        var resultSettings = new ResultSettings(refused.policy(), false, text -> text, null);
        return results.record(claim, one.call().workerId(), resultSettings, refused.outcome())
                .replaceWith(true);
    }

    /** An execution may have been leased with this token when it was created, and no call got it. */
    void mayBeLeased(UUID execution, long token, Duration lease) {
        store.mayBeLeased(execution, token, lease);
    }

    /** Hands back what was leased in statements whose answers were lost, and what could not be handed back before. */
    Uni<Void> freeLost() {
        return store.freeLost(leases, leases.untilLost());
    }

    private Uni<Void> handBackPulled(List<Pulled> unsent) {
        return handBack(unsent.stream().map(Pulled::claim).toList());
    }

    /** Releases leases that no worker got: their executions are due again at once, or soon when that fails now. */
    Uni<Void> handBack(List<Claim> unsent) {
        return unsent.isEmpty()
                ? Uni.createFrom().voidItem()
                : leases.handBack(unsent, Duration.ZERO)
                        .onFailure()
                        .invoke(failure -> {
                            store.notHandedBack(unsent, LeaseFields.LONGEST_LEASE);
                            LOG.warnf(
                                    "%d executions could not be handed back, which is tried again: %s",
                                    unsent.size(), failure.getMessage());
                        })
                        .onFailure()
                        .recoverWithItem(0)
                        .replaceWithVoid();
    }
}
