package io.taskexec.store.dependency;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.LockTimeout;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The parents of jobs that are about to be created, as they are until the transaction ends: one that has not ended
 * cannot end before, and one that has ended cannot be removed.
 *
 * @param open executions that have not ended
 * @param ended how the others have ended
 * @param schedules jobs that cannot be parents
 */
public record Parents(Set<UUID> open, Map<UUID, String> ended, Set<UUID> schedules) {
    // It changes the rows, so that an end that comes at the same time looks at them once more and finds the mark. They
    // are locked in one order.
    public static final String MARK = """
            WITH parents AS MATERIALIZED (
              SELECT execution_id FROM exec_live WHERE execution_id = ANY($1::uuid[]) AND %s
              ORDER BY execution_id
              FOR NO KEY UPDATE
            )
            UPDATE exec_live SET has_children = true
            WHERE execution_id = ANY(ARRAY(SELECT execution_id FROM parents))
            RETURNING execution_id
            """.formatted(LockTimeout.OF_MANY.condition());

    // A statement after that, since what it waited for has ended in between. The lock keeps retention away.
    static final String LOCK_JOBS = """
            SELECT job_id, trigger_type IN ('CRON', 'INTERVAL') AS scheduled FROM jobs
            WHERE job_id = ANY($1::uuid[])
            ORDER BY job_id
            FOR KEY SHARE
            """;

    static final String ENDED = """
            SELECT execution_id, status FROM executions WHERE execution_id = ANY($1::uuid[])
            """;

    // Of a parent that has ended the child has counted the end.
    private static final String ADD_EDGES = """
            INSERT INTO job_edges (child_id, parent_id, name, ended)
            SELECT child_id, parent_id, name, ended
            FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[]) AS e(child_id, parent_id, name, ended)
            ORDER BY child_id, parent_id
            ON CONFLICT (child_id, parent_id) DO NOTHING
            """;

    /** Marks those that have not ended, and finds out how the others have. */
    public static Uni<Parents> lock(SqlConnection transaction, Collection<UUID> ids) {
        if (ids.isEmpty()) {
            return Uni.createFrom().item(new Parents(Set.of(), Map.of(), Set.of()));
        }
        return Database.on(transaction, MARK, array(ids))
                .map(rows -> Columns.list(rows, row -> row.getUUID("execution_id")))
                .chain(open -> {
                    var others = ids.stream()
                            .filter(Predicate.not(Set.copyOf(open)::contains))
                            .toList();
                    return others.isEmpty()
                            ? Uni.createFrom().item(new Parents(Set.copyOf(open), Map.of(), Set.of()))
                            : lockEnded(transaction, Set.copyOf(open), others);
                });
    }

    private static Uni<Parents> lockEnded(SqlConnection transaction, Set<UUID> open, Collection<UUID> others) {
        return Database.on(transaction, LOCK_JOBS, array(others))
                .map(rows -> {
                    var schedules = new HashSet<UUID>();
                    rows.forEach(row -> {
                        if (row.getBoolean("scheduled")) {
                            schedules.add(row.getUUID("job_id"));
                        }
                    });
                    return schedules;
                })
                .chain(schedules -> Database.on(transaction, ENDED, array(others))
                        .map(rows -> {
                            var ended = new HashMap<UUID, String>();
                            rows.forEach(row -> ended.put(row.getUUID("execution_id"), row.getString("status")));
                            return new Parents(open, ended, schedules);
                        }));
    }

    /** The same with others that are created in the same transaction. */
    public Parents with(Set<UUID> created) {
        var all = new HashSet<>(open);
        all.addAll(created);
        return new Parents(Set.copyOf(all), ended, schedules);
    }

    private static Tuple array(Collection<UUID> ids) {
        return Tuple.tuple().addValue(ids.stream().distinct().sorted().toArray(UUID[]::new));
    }

    /** The first parent that cannot be one, null when all can. */
    public @Nullable UUID firstUnusable(Dependencies dependencies) {
        return dependencies.parents().stream()
                .map(Dependencies.Parent::id)
                .filter(id -> !open.contains(id) && !ended.containsKey(id))
                .findFirst()
                .orElse(null);
    }

    /** How many parents have not ended. */
    public int open(Dependencies dependencies) {
        return count(dependencies, open::contains);
    }

    /** How many have succeeded. */
    public int succeeded(Dependencies dependencies) {
        return count(dependencies, id -> "SUCCESS".equals(ended.get(id)));
    }

    /** How many have been skipped. */
    public int skipped(Dependencies dependencies) {
        return count(dependencies, id -> "SKIPPED".equals(ended.get(id)));
    }

    /** How many have ended otherwise. */
    public int failed(Dependencies dependencies) {
        return dependencies.parents().size() - open(dependencies) - succeeded(dependencies) - skipped(dependencies);
    }

    private static int count(Dependencies dependencies, Predicate<UUID> condition) {
        return (int) dependencies.parents().stream()
                .map(Dependencies.Parent::id)
                .filter(condition)
                .count();
    }

    /** A child and what it waits for. */
    public record Child(UUID id, Dependencies dependencies) {
        /** Whether all parents have ended. */
        public boolean mayBeDecided(Parents parents) {
            return parents.open(dependencies) < dependencies.parents().size();
        }
    }

    /** Makes the edges of children that were created in the same transaction. */
    public Uni<Void> addEdges(SqlConnection transaction, List<Child> children) {
        var edges = children.stream()
                .flatMap(child -> child.dependencies().parents().stream()
                        .map(parent -> new Edge(child.id(), parent, !open.contains(parent.id()))))
                .toList();
        var parameters = Tuple.tuple()
                .addValue(edges.stream().map(Edge::child).toArray(UUID[]::new))
                .addValue(edges.stream().map(edge -> edge.parent().id()).toArray(UUID[]::new))
                .addValue(edges.stream().map(edge -> edge.parent().name()).toArray(String[]::new))
                .addValue(edges.stream().map(Edge::ended).toArray(Boolean[]::new));
        return Database.on(transaction, ADD_EDGES, parameters).replaceWithVoid();
    }

    private record Edge(UUID child, Dependencies.Parent parent, boolean ended) {}
}
