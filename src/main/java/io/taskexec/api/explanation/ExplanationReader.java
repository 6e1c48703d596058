package io.taskexec.api.explanation;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.flow.PressureReading;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.auth.AuditStore;
import io.taskexec.store.auth.AuditStore.Change;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.explanation.LineStore;
import io.taskexec.store.explanation.LiveState;
import io.taskexec.store.explanation.LiveStateStore;
import io.taskexec.store.pressure.PressureStore;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Comparator;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads what explains an execution: two statements, and a few more as its state asks for them. */
@Singleton
final class ExplanationReader {
    /** Lines of a log that are looked at for the last one of an attempt. */
    private static final int MOST_LINES = 20;

    private final ExecutionStore executions;
    private final LiveStateStore states;
    private final LineStore lines;
    private final BreakerStore breakers;
    private final PressureStore pressure;
    private final AuditStore audit;

    ExplanationReader(
            ExecutionStore executions,
            LiveStateStore states,
            LineStore lines,
            BreakerStore breakers,
            PressureStore pressure,
            AuditStore audit) {
        this.executions = executions;
        this.states = states;
        this.lines = lines;
        this.breakers = breakers;
        this.pressure = pressure;
        this.audit = audit;
    }

    /** Returns null when no execution has that id. */
    Uni<@Nullable ExplanationView> explain(UUID id) {
        return states.find(id)
                .chain(state -> executions.find(id).chain(execution -> {
                    if (execution == null) {
                        return Uni.createFrom().<@Nullable ExplanationView>nullItem();
                    }
                    var completedAt = execution.completedAt();
                    if (execution.status().isFinal() && completedAt != null) {
                        return ended(execution, completedAt);
                    }
                    // It was created between the two statements, if there is no state.
                    return state == null ? explain(id) : live(execution, state);
                }));
    }

    private Uni<@Nullable ExplanationView> ended(Execution execution, Instant at) {
        var log = execution.status() == ExecutionStatus.EXPIRED || execution.status() == ExecutionStatus.SKIPPED
                ? executions
                        .logs(execution.id(), execution.attemptCount(), MOST_LINES)
                        .map(found -> found.isEmpty() ? null : found.getLast().message())
                : Uni.createFrom().<@Nullable String>nullItem();
        var cancelledBy = execution.status() == ExecutionStatus.CANCELLED
                ? audit.actorOf(new Change(
                        Set.of("execution", "job"),
                        Set.of(PublicId.EXECUTION.show(execution.id()), PublicId.JOB.show(execution.jobId())),
                        "cancel",
                        at))
                : Uni.createFrom().<@Nullable String>nullItem();
        return log.chain(line ->
                cancelledBy.map(key -> ExplanationView.ofEnded(execution, at, EndedReason.of(execution, line, key))));
    }

    private Uni<@Nullable ExplanationView> live(Execution execution, LiveState state) {
        var found = new Facts();
        var needed = new FactsNeeded(state);
        return read(true, () -> breakers.find(execution.endpoint()), breaker -> found.breaker = breaker)
                .chain(() -> read(needed.whoPaused(), () -> pausedBy(state), key -> found.pausedBy = key))
                .chain(() -> read(needed.pressure(), this::highestPressure, one -> found.pressure = one))
                .chain(() -> read(
                        needed.lastAttempt(),
                        () -> executions
                                .attempts(execution.id(), execution.attemptCount(), 1)
                                .map(attempts -> attempts.isEmpty() ? null : attempts.getFirst()),
                        attempt -> found.lastAttempt = attempt))
                .chain(() ->
                        read(state.isWaiting(), () -> states.openParents(execution.id()), some -> found.parents = some))
                .chain(() -> places(execution.id(), state, needed, found))
                .map(_ -> ExplanationView.ofLive(execution, state, new LiveReasons(execution, state, found).all()));
    }

    private Uni<Void> places(UUID id, LiveState state, FactsNeeded needed, Facts found) {
        var key = state.key();
        return read(needed.lane(), () -> lines.inLane(id, state.lane()), place -> found.lane = place)
                .chain(() -> read(
                        needed.lane(), () -> lines.startsPerSecond(state.lane()), rate -> found.startsPerSecond = rate))
                .chain(() -> read(
                        needed.queueHolders(),
                        () -> lines.holdersOfQueue(state.lane()),
                        some -> found.queueHolders = some))
                .chain(() -> key == null
                        ? Uni.createFrom().voidItem()
                        : read(needed.line(), () -> lines.inKey(id, key.id()), place -> found.line = place)
                                .chain(() -> read(
                                        needed.keyHolders(),
                                        () -> lines.holdersOfKey(key.id(), state.lane()),
                                        some -> found.keyHolders = some)));
    }

    private static <T extends @Nullable Object> Uni<Void> read(
            boolean isAsked, Supplier<Uni<T>> statement, Consumer<T> use) {
        return isAsked
                ? statement.get().invoke(use).replaceWithVoid()
                : Uni.createFrom().voidItem();
    }

    private Uni<@Nullable String> pausedBy(LiveState state) {
        var at = state.queue().pausedAt();
        return at == null
                ? Uni.createFrom().nullItem()
                : audit.actorOf(new Change(Set.of("queue"), Set.of(state.queue().name()), "pause", at));
    }

    private Uni<@Nullable PressureReading> highestPressure() {
        return pressure.all()
                .map(all -> all.stream()
                        .max(Comparator.comparingDouble(PressureReading::value))
                        .orElse(null));
    }
}
