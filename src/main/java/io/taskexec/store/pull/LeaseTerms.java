package io.taskexec.store.pull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Fence;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Gives the leases of one claim to several workers, each with a time of its own. */
@Singleton
public final class LeaseTerms {
    private final Database database;

    public LeaseTerms(Database database) {
        this.database = database;
    }

    /** The worker that gets a claim, and for how long. */
    public record Term(Claim claim, UUID workerId, Duration lease) {}

    private static final String ASSIGN = """
            UPDATE exec_live live
            SET visible_at = now() + ($3::bigint[])[%2$s] * interval '1 millisecond', worker_id = ($4::uuid[])[%2$s]
            WHERE %1$s
            RETURNING live.execution_id
            """.formatted(Fence.HELD, Fence.PLACE);

    /** Returns the executions whose leases are held. */
    public Uni<Set<UUID>> assign(List<Term> terms) {
        var parameters = Fence.parameters(terms.stream().map(Term::claim).toList())
                .addValue(terms.stream().map(term -> term.lease().toMillis()).toArray(Long[]::new))
                .addValue(terms.stream().map(Term::workerId).toArray(UUID[]::new));
        return database.run(ASSIGN, parameters).map(rows -> Columns.ids(rows, "execution_id"));
    }
}
