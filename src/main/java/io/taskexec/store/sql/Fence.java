package io.taskexec.store.sql;

import io.taskexec.model.delivery.Claim;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Binds every write after a claim to the condition that the row still has the lease of that claim. */
public final class Fence {
    /** How many rows a statement should have at most. */
    public static final int MOST_ROWS = 500;

    /** The bounds of a batcher of such statements. */
    public static final Batcher.Limits LIMITS = new Batcher.Limits(MOST_ROWS, 10_000, 1);

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

    /** Of two attempts of one execution only the later can hold its lease, and only the first of an id counts. */
    public static final Comparator<Claim> LATEST_FIRST =
            Comparator.comparingInt(Claim::attempt).reversed();

    private Fence() {}

    /** Whether each of these had its lease: a row of the answer has its {@code execution_id} and its {@code token}. */
    public static List<Boolean> held(List<Claim> claims, RowSet<Row> answer) {
        var written = new HashMap<UUID, Long>();
        for (var row : answer) {
            written.put(row.getUUID("execution_id"), row.getLong("token"));
        }
        var held = new ArrayList<Boolean>(claims.size());
        for (var claim : claims) {
            held.add(Objects.equals(written.get(claim.executionId()), claim.leaseToken()));
        }
        return held;
    }

    /** The first two parameters. */
    public static Tuple parameters(Collection<Claim> claims) {
        return Tuple.tuple()
                .addValue(Columns.array(claims, UUID[]::new, Claim::executionId))
                .addValue(Columns.array(claims, Long[]::new, Claim::leaseToken));
    }
}
