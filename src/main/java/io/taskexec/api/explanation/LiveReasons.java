package io.taskexec.api.explanation;

import static io.taskexec.api.explanation.Reason.count;
import static io.taskexec.api.explanation.Reason.shown;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.PublicId;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.job.Execution;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.explanation.LiveState;
import io.taskexec.store.explanation.LiveState.Owner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Explains the state of an execution that has not ended: first its own state, then what keeps it from a worker. */
final class LiveReasons {
    /** From so many lost workers on it is kept apart from others like it, see the worker's quarantine. */
    private static final int SUSPECT = 2;

    private final Execution execution;
    private final LiveState state;
    private final Facts found;
    private final FactsNeeded needed;
    private final List<Reason> reasons = new ArrayList<>();

    LiveReasons(Execution execution, LiveState state, Facts found) {
        this.execution = execution;
        this.state = state;
        this.found = found;
        this.needed = new FactsNeeded(state);
    }

    /** Returns the reasons in the order in which they must be resolved, at least one. */
    List<Reason> all() {
        if (state.isExpired() && !needed.isHeld()) {
            reasons.add(
                    new Reason(ReasonCode.EXPIRING, "It has expired before an attempt began, and is about to be ended.")
                            .with("since", state.expiresAt()));
            return reasons;
        }
        if (state.isWaiting()) {
            waiting();
        } else if (state.isDeferred()) {
            deferred();
        } else if (needed.isHeld()) {
            running();
            return reasons;
        } else if (state.isLeased()) {
            leaseLost();
        }
        time();
        if (needed.isReady()) {
            reasons.addAll(new LimitReasons(state, found).ofKey());
        }
        obstacles();
        if (reasons.isEmpty() || needed.isReady()) {
            place();
        }
        return reasons;
    }

    private void running() {
        var owner = Objects.requireNonNull(state.owner(), "a lease has a worker");
        if (state.queue().isPulled()) {
            reasons.add(pulled(owner));
            return;
        }
        var reason = owner.isHeardOf()
                ? new Reason(
                        ReasonCode.RUNNING,
                        "Attempt %d runs since %s on %s.".formatted(state.attempt(), shown(startedAt()), name(owner)))
                : new Reason(
                        ReasonCode.WORKER_SILENT,
                        "Attempt %d began at %s, but %s was not heard of lately. Unless it comes back, the execution"
                                        .formatted(state.attempt(), shown(startedAt()), name(owner))
                                + " is claimed again, at the latest at %s.".formatted(shown(visibleAt())));
        reasons.add(ofWorker(reason, owner)
                .with("since", startedAt())
                .with("until", state.visibleAt())
                .with("attempt", state.attempt())
                .with("max_attempts", execution.maxAttempts()));
    }

    private Reason pulled(Owner owner) {
        return new Reason(
                        ReasonCode.RUNNING,
                        "Attempt %d runs since %s at a pull worker, whose lease ends at %s unless it is extended."
                                .formatted(state.attempt(), shown(startedAt()), shown(visibleAt())))
                .with("worker_id", PublicId.WORKER.show(owner.id()))
                .with("since", startedAt())
                .with("until", state.visibleAt())
                .with("attempt", state.attempt())
                .with("max_attempts", execution.maxAttempts());
    }

    private void leaseLost() {
        var owner = Objects.requireNonNull(state.owner(), "a lease has a worker");
        var isLast = state.rescues() >= LeaseStore.MAX_RESCUES;
        var next = isLast
                ? "The next claim ends the execution, since too many workers were lost over it."
                : "It waits to be claimed again.";
        var message = "Attempt %d was lost: the lease of %s ended at %s. %s"
                .formatted(state.attempt(), name(owner), shown(visibleAt()), next);
        reasons.add(ofWorker(new Reason(ReasonCode.LEASE_LOST, message), owner)
                .with("since", state.visibleAt())
                .with("attempt", state.attempt())
                .with("workers_lost", state.rescues() + 1));
    }

    private static String name(Owner owner) {
        return "worker " + (owner.host() == null ? PublicId.WORKER.show(owner.id()) : owner.host());
    }

    private static Reason ofWorker(Reason reason, Owner owner) {
        return reason.with("worker_id", PublicId.WORKER.show(owner.id()))
                .with("host", owner.host())
                .with("last_heartbeat_at", owner.lastSeenAt());
    }

    private void waiting() {
        var rule = Objects.requireNonNull(state.triggerRule(), "it waits");
        if (rule < 0) {
            reasons.add(new Reason(
                    ReasonCode.SKIPPING, "Its trigger rule cannot hold any more, and it is about to be skipped."));
            return;
        }
        var isRun = rule == DependencyStatement.RUN;
        var noun = isRun ? "last job" : "parent";
        var message = found.parents.isEmpty()
                ? "Those that it waited for have ended, which is about to be counted."
                : "It waits for %s: %s.".formatted(count(found.parents.size(), noun), firstParents());
        var parents = JsonNodeFactory.instance.arrayNode();
        for (var parent : found.parents) {
            var one = parents.addObject().put("job_id", PublicId.JOB.show(parent.jobId()));
            if (!parent.name().isEmpty()) {
                one.put("name", parent.name());
            }
            one.put("endpoint", parent.endpoint());
            if (parent.status() != null) {
                one.put("status", parent.status());
            }
        }
        reasons.add(new Reason(isRun ? ReasonCode.WAITING_FOR_JOBS : ReasonCode.WAITING_FOR_PARENTS, message)
                .with("parents", parents));
    }

    private String firstParents() {
        var shown = found.parents.stream()
                .limit(3)
                .map(parent -> "%s (%s)"
                        .formatted(
                                parent.name().isEmpty() ? PublicId.JOB.show(parent.jobId()) : parent.name(),
                                parent.status() == null ? "ended" : parent.status()))
                .toList();
        return String.join(", ", shown) + (found.parents.size() > shown.size() ? " and others" : "");
    }

    private void deferred() {
        var deferral = execution.deferral();
        if (deferral == null) {
            reasons.add(new Reason(ReasonCode.DEFERRED, "Its receiver says later how the attempt ends."));
            return;
        }
        var until = shown(deferral.deadline());
        var message = switch (deferral.mode()) {
            case CALLBACK -> "It waits until %s for the callback of its receiver.".formatted(until);
            case POLL -> "Its receiver is polled until %s for how the attempt ends.".formatted(until);
            case APPROVAL -> "It waits until %s for the decision of a person.".formatted(until);
        };
        reasons.add(new Reason(ReasonCode.DEFERRED, message)
                .with("mode", deferral.mode().word())
                .with("since", deferral.since())
                .with("until", deferral.deadline())
                .with("silent_at", deferral.silentAt())
                .with("next_look_at", deferral.mode() == DeferralMode.POLL ? state.visibleAt() : null)
                .with("attempt", state.attempt()));
    }

    /** Its own time, unless others decide about that. */
    private void time() {
        if (state.isDeferred() || state.isDue()) {
            return;
        }
        if (!state.hasRunTime()) {
            reasons.add(new Reason(ReasonCode.NOT_DUE, "It is not due before %s.".formatted(shown(state.runAt())))
                    .with("until", state.visibleAt() == null ? state.runAt() : state.visibleAt()));
        } else if (state.visibleAt() != null && !state.isPutOff()) {
            retrying(state.visibleAt());
        }
    }

    private void retrying(Instant until) {
        var last = found.lastAttempt;
        var error = last == null ? null : last.error();
        var how = last == null
                ? ""
                : switch (last.status()) {
                    case LOST -> " lost its worker";
                    case INTERRUPTED -> " was interrupted";
                    default -> " failed";
                };
        var why = error == null ? "" : ": " + error.path("message").asText();
        var message = last == null
                ? "The next attempt is due at %s.".formatted(shown(until))
                : "Attempt %d%s%s. The next one is due at %s."
                        .formatted(
                                last.number(),
                                how,
                                why.endsWith(".") ? why.substring(0, why.length() - 1) : why,
                                shown(until));
        reasons.add(new Reason(ReasonCode.RETRYING, message)
                .with("until", until)
                .with("attempt", state.attempt())
                .with("max_attempts", execution.maxAttempts())
                .with("error", error));
    }

    /** Adds what keeps workers from it. Of one that cannot begin yet, only what may still hold by then. */
    private void obstacles() {
        var limits = new LimitReasons(state, found);
        var now = needed.isReady();
        var begins = state.visibleAt() == null ? state.runAt() : state.visibleAt();
        var until = state.queue().pausedUntil();
        if (state.queue().pausedAt() != null && (now || until == null || until.isAfter(begins))) {
            reasons.add(limits.pause());
        }
        if (state.isDeferred() && !state.isDue()) {
            return;
        }
        if (state.queue().isPulled()) {
            if (needed.noPullWorker()) {
                reasons.add(limits.noPullWorker(execution.endpoint()));
            }
        } else if (state.fleet().workers() == 0) {
            reasons.add(limits.noWorker());
        } else if (needed.pressure()) {
            reasons.add(limits.pressure());
        }
        if (now) {
            reasons.addAll(limits.ofQueue());
        }
        breaker(now, begins);
        if (now && state.rescues() >= SUSPECT && state.rescues() <= LeaseStore.MAX_RESCUES && !state.isLeased()) {
            poisoned();
        }
    }

    private void breaker(boolean now, Instant begins) {
        var breaker = found.breaker;
        if (breaker == null || state.isDeferred() || breaker.state() == Breaker.State.CLOSED) {
            return;
        }
        var facts = JsonNodeFactory.instance
                .objectNode()
                .put("state", breaker.state().name())
                .put("opened_at", breaker.since().toString());
        if (breaker.state() == Breaker.State.DISABLED) {
            reasons.add(new Reason(
                            ReasonCode.ENDPOINT_DISABLED,
                            "Its endpoint %s is disabled since %s, until it is enabled or has a new version: %s."
                                    .formatted(execution.endpoint(), shown(breaker.since()), breaker.reason()))
                    .with("since", breaker.since())
                    .with("next_look_at", state.isPutOff() ? state.visibleAt() : null)
                    .with("breaker", facts.put("reason", breaker.reason())));
        } else if (now || breaker.retryAt().isAfter(begins)) {
            facts.put("retry_at", breaker.retryAt().toString()).put("reason", breaker.reason());
            var what = breaker.state() == Breaker.State.OPEN
                    ? "A delivery is tried from %s on.".formatted(shown(breaker.retryAt()))
                    : "A few deliveries are being tried.";
            reasons.add(new Reason(
                            ReasonCode.BREAKER_OPEN,
                            "The circuit breaker of %s is %s since %s. %s"
                                    .formatted(
                                            execution.endpoint(),
                                            breaker.state() == Breaker.State.OPEN ? "open" : "half open",
                                            shown(breaker.since()),
                                            what))
                    .with("since", breaker.since())
                    .with("until", breaker.retryAt())
                    .with("next_look_at", state.isPutOff() ? state.visibleAt() : null)
                    .with("breaker", facts));
        }
    }

    private void poisoned() {
        reasons.add(new Reason(
                        ReasonCode.POISONED,
                        "%s were lost over it, so a worker runs it only while it runs no other one like it."
                                .formatted(count(state.rescues(), "worker")))
                .with("workers_lost", state.rescues())
                .with("until", state.isPutOff() ? state.visibleAt() : null));
    }

    /** Adds its place in its lane. */
    private void place() {
        var lane = found.lane;
        if (lane == null) {
            if (reasons.isEmpty()) {
                reasons.add(postponed());
            }
            return;
        }
        var isFree = reasons.stream().allMatch(reason -> reason.code() == ReasonCode.LEASE_LOST);
        // How many executions pull workers take is not known: the first one is next.
        var free = state.queue().isPulled() ? 1 : state.fleet().freeSlots();
        var isNext = !lane.isMore() && lane.ahead() < Math.max(1, free);
        if (isNext && (free > 0 || !isFree)) {
            if (reasons.isEmpty()) {
                reasons.add(new Reason(ReasonCode.READY, "It is due, and about to be claimed by a worker.")
                        .with("position", lane.ahead() + 1));
            }
            return;
        }
        reasons.add(new LimitReasons(state, found).lane(lane, isFree));
    }

    private Reason postponed() {
        var until = visibleAt();
        var isTick = !execution.id().equals(execution.jobId()) && state.attempt() == 0;
        return new Reason(
                        ReasonCode.POSTPONED,
                        "It is put off until %s%s."
                                .formatted(
                                        shown(until),
                                        isTick ? ", by the jitter of its schedule or by a worker" : ", by a worker"))
                .with("until", until);
    }

    private Instant startedAt() {
        return Objects.requireNonNull(state.startedAt(), "a lease has a beginning");
    }

    private Instant visibleAt() {
        return Objects.requireNonNull(state.visibleAt(), "only what waits for others has no time");
    }
}
