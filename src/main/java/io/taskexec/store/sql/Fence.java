package io.taskexec.store.sql;

import io.taskexec.model.delivery.Claim;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.Collection;
import java.util.UUID;

/** Binds every write after a claim to the condition that the row still has the lease of that claim. */
public final class Fence {
    /** How many rows a statement should have at most. */
    public static final int MOST_ROWS = 500;

    /**
     * The place of row {@code live} in the arrays of the statement. The first has the ids and the second their tokens.
     * Of an id that comes twice the first place counts.
     */
    public static final String PLACE = "array_position($1::uuid[], live.execution_id)";

    /**
     * Finds the rows whose leases are held. An array of ids gives the planner the primary key, however few rows it
     * believes in, and a place in arrays needs no join: for a table that it takes to be empty, as it does with one that
     * was empty when it was last looked at, it would compare each row with each.
     */
    public static final String HELD =
            "live.execution_id = ANY($1::uuid[]) AND live.lease_token = ($2::bigint[])[" + PLACE + "]";

    private Fence() {}

    /** The first two parameters. */
    public static Tuple parameters(Collection<Claim> claims) {
        return Tuple.tuple()
                .addValue(claims.stream().map(Claim::executionId).toArray(UUID[]::new))
                .addValue(claims.stream().map(Claim::leaseToken).toArray(Long[]::new));
    }
}
