package io.taskexec.store.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.dependency.Dependencies.Parent;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.dependency.Parents;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Fence;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Starts runs: all jobs of one are created in the transaction that makes the run wait for them. */
@Singleton
public final class RunStart {
    private final Database database;
    private final JobCreator creator;
    private final String suspend;

    public RunStart(Database database, JobCreator creator) {
        this.database = database;
        this.creator = creator;
        this.suspend = database.form(SUSPEND);
    }

    /**
     * A run that is about to start.
     *
     * @param ids of all its jobs by name
     * @param jobs those to be created, at least one
     * @param last the names of those that it waits for
     * @param input with the values of its templates; null where it has none
     */
    public record Start(
            Claim claim,
            String name,
            Map<String, UUID> ids,
            List<NewJob> jobs,
            Set<String> last,
            boolean isFailFast,
            @Nullable JsonNode input) {}

    /** The result of a start. */
    public enum Result {
        STARTED,
        /** It has, and was asked to end before. */
        CANCELLING,
        /** Nothing was done: an endpoint has changed, or a queue was deleted. */
        STALE,
        /** Nothing was done: the lease was lost. */
        LOST
    }

    // The run may have been asked to end before.
    private static final String NOTE = """
            INSERT INTO workflow_runs (run_id, job_id, name, input, fail_fast, started_at)
            VALUES ($1::uuid, $2::uuid, $3::text, $4::text::json, $5::boolean, now())
            ON CONFLICT (run_id) DO UPDATE
            SET name = excluded.name, input = excluded.input, fail_fast = excluded.fail_fast, started_at = now()
            RETURNING cancelling_at IS NOT NULL AS cancelling
            """;

    private static final String ADD_NODES = """
            INSERT INTO workflow_nodes (run_id, name, job_id)
            SELECT $1::uuid, name, job_id FROM unnest($2::text[], $3::uuid[]) AS n(name, job_id)
            """;

    // What it has waited for before is counted for nothing from now on.
    private static final String CLOSE_EDGES =
            "UPDATE job_edges SET ended = true WHERE child_id = $1::uuid AND NOT ended";

    // The attempt does not count, as the one that ends the run does. Its times have been those of its start.
    private static final EventedStatement SUSPEND = EventedStatement.of(
            """
            WITH suspended AS (
              UPDATE exec_live live
              SET visible_at = %s, trigger_rule = %d, parents_open = $3::int, parents_succeeded = 0,
                  parents_failed = 0, parents_skipped = (SELECT count(*) FROM job_edges e
                    WHERE e.child_id = live.execution_id AND e.ended),
                  attempt = live.attempt - 1, lease_token = NULL, worker_id = NULL, expires_at = NULL, deadline = NULL
              WHERE %s
              RETURNING live.execution_id, live.job_id, live.attempt
            )
            """.formatted(DependencyStatement.WAITING_TIME, DependencyStatement.RUN, Fence.HELD),
            """
            (execution_id, job_id, kind, attempt)
              SELECT execution_id, job_id, 'WORKFLOW_STARTED', attempt FROM suspended
            """,
            "SELECT execution_id FROM suspended\n");

    /** Starts a run, wholly or not at all. */
    public Uni<Result> start(Start start) {
        var made = Set.copyOf(start.jobs().stream().map(NewJob::id).toList());
        var carried =
                start.ids().values().stream().filter(id -> !made.contains(id)).collect(Collectors.toSet());
        return database.withTransaction(transaction -> creator.createWithin(transaction, start.jobs(), carried)
                        .chain(graph -> graph.isWhole()
                                ? note(transaction, start)
                                        .chain(cancelling -> suspend(transaction, start, made)
                                                .replaceWith(new Started(graph, cancelling)))
                                : Uni.createFrom().failure(new NotStarted(Result.STALE))))
                .invoke(started -> {
                    creator.announce(started.graph());
                    database.metrics().workflows().started();
                })
                .map(started -> started.cancelling() ? Result.CANCELLING : Result.STARTED)
                .onFailure(NotStarted.class)
                .recoverWithItem(failure -> failure.result);
    }

    private record Started(JobCreator.Graph graph, boolean cancelling) {}

    /** Takes the transaction back. */
    private static final class NotStarted extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final Result result;

        NotStarted(Result result) {
            super(result.name(), null, false, false);
            this.result = result;
        }
    }

    private static Uni<Boolean> note(SqlConnection transaction, Start start) {
        var claim = start.claim();
        var note = Tuple.of(
                claim.executionId(), claim.jobId(), start.name(), Json.text(start.input()), start.isFailFast());
        var nodes = Tuple.of(claim.executionId())
                .addValue(start.ids().keySet().toArray(String[]::new))
                .addValue(start.ids().values().toArray(UUID[]::new));
        return Database.on(transaction, NOTE, note)
                .map(rows -> rows.iterator().next().getBoolean("cancelling"))
                .chain(cancelling -> Database.on(transaction, ADD_NODES, nodes).replaceWith(cancelling));
    }

    /** No lock is waited for but that of the run: its jobs are new. */
    private Uni<Void> suspend(SqlConnection transaction, Start start, Set<UUID> made) {
        var run = start.claim().executionId();
        var last = start.last().stream()
                .map(start.ids()::get)
                .filter(made::contains)
                .toList();
        var awaited =
                new Dependencies(last.stream().map(id -> new Parent(id, "")).toList(), TriggerRule.ALL_DONE);
        return Database.on(transaction, Parents.MARK, Tuple.tuple().addValue(parents(start, last)))
                .chain(() -> Database.on(transaction, CLOSE_EDGES, Tuple.of(run)))
                .chain(() -> new Parents(made, Map.of(), Set.of())
                        .addEdges(transaction, List.of(new Parents.Child(run, awaited))))
                .chain(() -> Database.on(
                        transaction,
                        suspend,
                        Fence.parameters(List.of(start.claim())).addInteger(last.size())))
                .invoke(rows -> {
                    if (rows.rowCount() == 0) {
                        throw new NotStarted(Result.LOST);
                    }
                })
                .replaceWithVoid();
    }

    /** The jobs that others wait for, or the run. */
    private static UUID[] parents(Start start, List<UUID> last) {
        return Stream.concat(
                        last.stream(),
                        start.jobs().stream()
                                .map(NewJob::dependencies)
                                .filter(Objects::nonNull)
                                .flatMap(dependencies -> dependencies.parents().stream())
                                .map(Parent::id))
                .distinct()
                .sorted()
                .toArray(UUID[]::new);
    }
}
