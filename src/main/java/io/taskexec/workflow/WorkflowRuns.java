package io.taskexec.workflow;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.Uni;
import io.taskexec.job.WorkflowJobs;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.PublicId;
import io.taskexec.model.TraceContext;
import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.FailurePolicy;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.model.job.Failure;
import io.taskexec.model.job.JobOptions.Run;
import io.taskexec.request.ApiException;
import io.taskexec.resolve.JobInput;
import io.taskexec.resolve.Resolution;
import io.taskexec.resolve.WorkflowContexts;
import io.taskexec.store.workflow.RunCancellation;
import io.taskexec.store.workflow.RunCancellation.Extent;
import io.taskexec.store.workflow.RunEnd;
import io.taskexec.store.workflow.RunStart;
import io.taskexec.store.workflow.RunStart.Start;
import io.taskexec.store.workflow.RunStore;
import io.taskexec.store.workflow.WorkflowNode;
import io.taskexec.store.workflow.WorkflowRun;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Moves on a run that a worker has claimed: one that has not started makes its jobs and waits for the last of them, one
 * that has waited ends.
 */
@Singleton
public final class WorkflowRuns {
    private static final Logger LOG = Logger.getLogger(WorkflowRuns.class);

    /** Runs within runs. */
    static final int MOST_DEPTH = 8;

    /** How often a start is tried when endpoints change meanwhile. */
    private static final int MOST_TRIES = 5;

    /** The time until the next look when a job goes on although those that depend on it were ended from outside. */
    private static final Duration RECHECK = Duration.ofSeconds(1);

    private static final Duration MOST_RECHECK = Duration.ofSeconds(30);

    private final RunStore runs;
    private final RunStart starts;
    private final RunEnd ends;
    private final RunCancellation cancellations;
    private final WorkflowJobs jobs;
    private final WorkflowContexts contexts;

    WorkflowRuns(
            RunStore runs,
            RunStart starts,
            RunEnd ends,
            RunCancellation cancellations,
            WorkflowJobs jobs,
            WorkflowContexts contexts) {
        this.runs = runs;
        this.starts = starts;
        this.ends = ends;
        this.cancellations = cancellations;
        this.jobs = jobs;
        this.contexts = contexts;
    }

    /** Moves a run on; its result is recorded unless the outcome says otherwise. */
    public Uni<Outcome> advance(Claim claim, Resolution.Workflow workflow) {
        return runs.find(claim.executionId()).chain(run -> {
            if (run == null) {
                return begin(claim, workflow, null);
            }
            if (run.startedAt() != null) {
                return settle(claim, run);
            }
            return run.cancellingAt() == null
                    ? begin(claim, workflow, run.retryOf())
                    : ends.cancel(run).map(WorkflowRuns::recorded);
        });
    }

    private Uni<Outcome> begin(Claim claim, Resolution.Workflow workflow, @Nullable UUID retryOf) {
        if (depth(claim) > MOST_DEPTH) {
            return fail(
                    claim,
                    Failure.Type.INVALID_CONFIGURATION,
                    "Workflows run within each other in more than %d levels.".formatted(MOST_DEPTH));
        }
        return workflow.input().get().chain(input -> switch (input) {
            case JobInput.Skipped() -> Uni.createFrom().item(new Outcome.Skipped());
            case JobInput.Invalid(var type, var message) -> fail(claim, type, message);
            case JobInput.Unchecked unchecked ->
                Uni.createFrom().item(new Outcome.RetryableFailure(unchecked.failure(), null));
            case JobInput.Ready ready ->
                previous(retryOf)
                        .chain(previous -> previous == null
                                ? fail(
                                        claim,
                                        Failure.Type.INVALID_CONFIGURATION,
                                        "The run that it repeats has been removed for its age.")
                                : start(
                                        claim,
                                        workflow.spec(),
                                        previous,
                                        claim.options().isTemplate() ? ready.input() : null,
                                        MOST_TRIES));
        });
    }

    /**
     * The jobs of the run that a retry repeats, or of the one that this was to repeat if it has not started; null when
     * nothing is known of that any more.
     */
    private Uni<@Nullable List<WorkflowNode>> previous(@Nullable UUID run) {
        if (run == null) {
            return Uni.createFrom().item(List.of());
        }
        return runs.nodes(run)
                .chain(nodes -> nodes.isEmpty()
                        ? runs.find(run)
                                .chain(unstarted ->
                                        unstarted == null ? Uni.createFrom().nullItem() : previous(unstarted.retryOf()))
                        : Uni.createFrom().item(nodes));
    }

    private static int depth(Claim claim) {
        var around = claim.options().run();
        return around == null ? 1 : around.depth() + 1;
    }

    private Uni<Outcome> start(
            Claim claim, WorkflowSpec spec, List<WorkflowNode> previous, @Nullable JsonNode input, int triesLeft) {
        var carried = carried(spec, previous);
        var ids = new HashMap<String, UUID>(carried);
        spec.jobs().keySet().forEach(name -> ids.computeIfAbsent(name, _ -> Uuid7.next()));
        var isFailFast = spec.failurePolicy() == FailurePolicy.FAIL_FAST;
        var made = new HashSet<>(spec.jobs().keySet());
        made.removeAll(carried.keySet());
        if (made.isEmpty()) {
            return fail(claim, Failure.Type.INVALID_CONFIGURATION, "No job of the run before has failed.");
        }
        return deadline(claim, spec)
                .map(deadline -> new WorkflowJobs.Plan(
                        spec,
                        new Run(claim.executionId(), depth(claim), isFailFast),
                        ids,
                        Set.copyOf(made),
                        deadline,
                        PublicId.WORKFLOW.show(claim.executionId()),
                        TraceContext.ofAttempt(claim.trace(), claim.executionId(), claim.attempt())))
                .chain(plan -> jobs.make(plan)
                        .chain(all ->
                                starts.start(new Start(claim, name(claim), ids, all, spec.last(), isFailFast, input)))
                        .chain(result -> switch (result) {
                            case STARTED -> Uni.createFrom().<Outcome>item(new Outcome.Recorded());
                            case CANCELLING ->
                                cancellations.cancelNew(claim.executionId()).replaceWith(new Outcome.Recorded());
                            case LOST -> Uni.createFrom().<Outcome>item(new Outcome.LeaseLost());
                            case STALE -> {
                                jobs.forget(plan);
                                yield triesLeft > 1
                                        ? start(claim, spec, previous, input, triesLeft - 1)
                                        : Uni.createFrom().<Outcome>item(new Outcome.Postponed(RECHECK));
                            }
                        }))
                .onFailure(ApiException.class)
                .recoverWithUni(failure ->
                        fail(claim, Failure.Type.INVALID_CONFIGURATION, String.valueOf(failure.getMessage())));
    }

    /** The time after which no job of the run begins: its own deadline, or that of its execution if that is earlier. */
    private Uni<@Nullable Instant> deadline(Claim claim, WorkflowSpec spec) {
        var time = spec.deadline();
        var own = time == null ? null : ProgramClock.now().plus(time);
        // What has a deadline expires.
        return claim.expiresIn() == null
                ? Uni.createFrom().item(own)
                : runs.deadline(claim.executionId())
                        .map(around -> own == null || (around != null && around.isBefore(own)) ? around : own);
    }

    /** The jobs that a retry leaves as they are: all but those that have failed and what depends on them. */
    private static Map<String, UUID> carried(WorkflowSpec spec, List<WorkflowNode> previous) {
        var failed = previous.stream()
                .filter(WorkflowNode::hasFailed)
                .map(WorkflowNode::name)
                .toList();
        var repeated = spec.withDescendants(failed);
        return previous.stream()
                .filter(node -> !repeated.contains(node.name()))
                .collect(Collectors.toMap(WorkflowNode::name, WorkflowNode::jobId));
    }

    /** The name of a run: that of its definition, or the one that its creator gave it. */
    private static String name(Claim claim) {
        var inline = claim.options().workflow();
        return inline == null ? claim.endpoint() : inline.name();
    }

    private Uni<Outcome> fail(Claim claim, Failure.Type type, String message) {
        return ends.end(claim, name(claim), null, new Failure(type, message).toJson())
                .map(WorkflowRuns::recorded);
    }

    /** Cancels soon what has not begun of the run of a job that has failed, if the run fails fast. */
    public void failed(Claim claim) {
        var run = claim.options().run();
        if (run != null && run.isFailFast()) {
            cancellations
                    .cancelJobs(run.id(), Extent.POLITE)
                    .subscribe()
                    .with(_ -> {}, failure -> LOG.warnf("jobs of a workflow are cancelled later: %s", failure));
        }
    }

    private static Outcome recorded(boolean done) {
        return done ? new Outcome.Recorded() : new Outcome.LeaseLost();
    }

    private Uni<Outcome> settle(Claim claim, WorkflowRun run) {
        return runs.nodes(run.id()).chain(nodes -> {
            if (nodes.stream().anyMatch(node -> !node.status().isFinal())) {
                return Uni.createFrom().item(new Outcome.Postponed(recheck(run, nodes)));
            }
            if (run.cancellingAt() != null) {
                return ends.cancel(run).map(WorkflowRuns::recorded);
            }
            var error = error(nodes);
            return contexts.merged(run.id())
                    .chain(context -> ends.end(claim, run.name(), output(nodes, context), error))
                    .map(WorkflowRuns::recorded);
        });
    }

    /** The longer nothing has ended, the longer it takes to the next look. */
    private static Duration recheck(WorkflowRun run, List<WorkflowNode> nodes) {
        var last = nodes.stream()
                .flatMap(node -> Stream.ofNullable(node.completedAt()))
                .max(Comparator.naturalOrder())
                .orElse(requireNonNull(run.startedAt()));
        var wait = Duration.between(last, ProgramClock.now()).dividedBy(4);
        return wait.compareTo(RECHECK) < 0 ? RECHECK : wait.compareTo(MOST_RECHECK) > 0 ? MOST_RECHECK : wait;
    }

    private static JsonNode output(List<WorkflowNode> nodes, JsonNode context) {
        var output = JsonNodeFactory.instance.objectNode();
        var statuses = output.putObject("jobs");
        nodes.forEach(node -> statuses.put(node.name(), node.status().name()));
        if (!WorkflowContexts.isTooLarge(context)) {
            output.set("context", context);
        }
        return output;
    }

    private static @Nullable JsonNode error(List<WorkflowNode> nodes) {
        var failed = nodes.stream()
                .filter(WorkflowNode::hasFailed)
                .map(WorkflowNode::name)
                .toList();
        if (failed.isEmpty()) {
            return null;
        }
        var shown = String.join(", ", failed.subList(0, Math.min(failed.size(), 10)));
        var message = "%d of %d jobs failed: %s%s."
                .formatted(failed.size(), nodes.size(), shown, failed.size() > 10 ? ", ..." : "");
        return new Failure(Failure.Type.WORKFLOW_FAILED, message).toJson();
    }
}
