package io.taskexec.lease;

import io.smallrye.mutiny.Uni;
import io.taskexec.resolve.Resolution;
import io.taskexec.resolve.Resolver;
import io.taskexec.store.execution.PulledClaims;
import io.taskexec.store.execution.PulledClaims.Leased;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds leases by what their workers show: in the memory of this process, or in the database when another process has
 * handed them out, or this one before it was started again. It remembers those that are extended.
 */
@Singleton
final class LeaseFinder {
    /** Of two attempts of one execution only the first is looked for, and only the later can hold its lease. */
    private static final Comparator<LeaseToken> LATEST_FIRST =
            Comparator.comparingInt(LeaseToken::attempt).reversed();

    private final HeldLeases held;
    private final PulledClaims store;
    private final Resolver resolver;
    private final PulledPreemption preemption;

    LeaseFinder(HeldLeases held, PulledClaims store, Resolver resolver, PulledPreemption preemption) {
        this.held = held;
        this.store = store;
        this.resolver = resolver;
        this.preemption = preemption;
    }

    /** Returns the leases of the items that are held, by what names them. */
    Uni<Map<String, HeldLease>> find(List<? extends LeaseItem> items) {
        var found = new HashMap<String, HeldLease>();
        var others = new HashMap<LeaseToken, String>();
        for (var item : items) {
            var token = LeaseToken.parse(item.lease());
            if (token != null) {
                var known = held.find(token);
                if (known != null) {
                    found.put(item.lease(), known);
                } else if (!held.hasResult(token)) {
                    others.put(token, item.lease());
                }
            }
        }
        return others.isEmpty()
                ? Uni.createFrom().item(found)
                : read(others.keySet().stream().sorted(LATEST_FIRST).toList())
                        .invoke(stored -> {
                            for (var lease : stored) {
                                var name = others.get(lease.token());
                                if (name != null) {
                                    found.put(name, lease);
                                }
                            }
                        })
                        .replaceWith(found);
    }

    /** Keeps the leases; those that another process has handed out may be asked to yield with this answer already. */
    Uni<Void> adopt(Collection<HeldLease> extended, long end) {
        var isNewToYield = false;
        for (var lease : extended) {
            var isKnown = held.find(lease.token()) != null;
            lease.extend(end);
            held.add(lease);
            isNewToYield |= !isKnown && lease.canYield();
        }
        return isNewToYield
                ? preemption.look().onFailure().recoverWithNull()
                : Uni.createFrom().voidItem();
    }

    private Uni<List<HeldLease>> read(List<LeaseToken> tokens) {
        return store.find(
                        tokens.stream().map(LeaseToken::executionId).toList(),
                        tokens.stream().map(LeaseToken::token).toList())
                .chain(stored -> stored.isEmpty() ? Uni.createFrom().item(List.<HeldLease>of()) : leases(stored));
    }

    private Uni<List<HeldLease>> leases(List<Leased> stored) {
        var now = System.nanoTime();
        return Uni.join()
                .all(stored.stream().map(one -> lease(one, now)).toList())
                .andFailFast()
                .map(LeaseFinder::known);
    }

    private static List<HeldLease> known(List<@Nullable HeldLease> leases) {
        var known = new ArrayList<HeldLease>(leases.size());
        for (var lease : leases) {
            if (lease != null) {
                known.add(lease);
            }
        }
        return known;
    }

    private Uni<@Nullable HeldLease> lease(Leased leased, long now) {
        return resolver.pulled(leased.claim()).map(pulled -> pulled == null ? null : lease(leased, pulled, now));
    }

    private static HeldLease lease(Leased leased, Resolution.Pulled pulled, long now) {
        return new HeldLease(
                leased.claim(),
                leased.workerId(),
                Set.of(leased.claim().endpoint()),
                pulled,
                leased.priority(),
                now - leased.age().toNanos(),
                now);
    }
}
