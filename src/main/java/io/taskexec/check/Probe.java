package io.taskexec.check;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Finding;
import io.taskexec.store.invariant.InvariantStore;
import io.taskexec.store.job.LedgerStore;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/** Looks at everything that must hold, and writes nothing. */
@Singleton
public final class Probe {
    private final InvariantStore store;
    private final TickGaps gaps;

    public Probe(InvariantStore store, LedgerStore ledger) {
        this.store = store;
        this.gaps = new TickGaps(ledger);
    }

    /** One finding for each invariant, always in the same order. */
    public Uni<List<Finding>> look(CheckDepth scope) {
        return store.check(scope.rows())
                .chain(findings -> gaps.find(scope).map(gap -> {
                    var all = new ArrayList<>(findings);
                    all.add(gap);
                    return List.copyOf(all);
                }));
    }
}
