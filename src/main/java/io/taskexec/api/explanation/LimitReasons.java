package io.taskexec.api.explanation;

import static io.taskexec.api.explanation.Reason.shown;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.queue.QueueDetails;
import io.taskexec.store.execution.QueueRoom;
import io.taskexec.store.explanation.LineStore;
import io.taskexec.store.explanation.LineStore.Place;
import io.taskexec.store.explanation.LiveState;
import io.taskexec.store.explanation.LiveState.KeyState;
import io.taskexec.store.sql.Lanes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Explains the limits of an execution's flow key, its queue and the workers. */
final class LimitReasons {
    private final LiveState state;
    private final Facts found;

    LimitReasons(LiveState state, Facts found) {
        this.state = state;
        this.found = found;
    }

    /** The limits of its flow key that keep it back. */
    List<Reason> ofKey() {
        var key = state.key();
        var reasons = new ArrayList<Reason>();
        if (key == null || !key.needsPlace()) {
            return reasons;
        }
        var limit = key.limit();
        if (limit != null && key.open() >= limit) {
            reasons.add(withLine(keyAtCap(key, limit)));
        }
        var tokenAt = key.tokenAt();
        if (tokenAt != null && tokenAt.isAfter(state.at())) {
            reasons.add(withLine(keyRate(key, tokenAt, reasons.isEmpty())));
        }
        // Nothing leaves the line while its queue is paused, which is the reason then.
        if (reasons.isEmpty() && key.isParked() && !(isFirst() && state.queue().pausedAt() != null)) {
            var message = isFirst()
                    ? "It is the first in the line of its flow key%s, and about to be released.".formatted(quoted(key))
                    : "Others are ahead in the line of its flow key%s, of which it is number %s."
                            .formatted(quoted(key), position());
            reasons.add(withLine(new Reason(ReasonCode.KEY_LINE, message)).with("flow_key", key.name()));
        }
        return reasons;
    }

    private boolean isFirst() {
        var line = found.line;
        return line != null && line.ahead() == 0 && !line.isMore();
    }

    private Reason keyAtCap(KeyState key, int limit) {
        var isAdaptive = key.cap() == null || limit < key.cap();
        var whose = key.name().isEmpty() ? "its endpoint" : "its flow key" + quoted(key);
        return new Reason(
                        ReasonCode.KEY_AT_CAP,
                        "All places of %s are taken: %d of %d%s."
                                .formatted(
                                        whose,
                                        key.open(),
                                        limit,
                                        isAdaptive ? ", since its receiver refuses more" : ""))
                .with("flow_key", key.name())
                .with("open", key.open())
                .with("limit", limit)
                .with("adaptive_limit", key.adaptiveLimit())
                .with("held_by", found.keyHolders);
    }

    /** @param isAlone whether nothing else of its key keeps it back */
    private Reason keyRate(KeyState key, Instant tokenAt, boolean isAlone) {
        var line = found.line;
        var spacing = key.spacing() == null ? Duration.ZERO : key.spacing();
        var start = line == null || line.isMore() || !isAlone ? null : tokenAt.plus(spacing.multipliedBy(line.ahead()));
        return new Reason(
                        ReasonCode.RATE_LIMITED,
                        "The rate of its flow key%s lets the next execution begin at %s."
                                .formatted(quoted(key), shown(tokenAt)))
                .with("scope", "key")
                .with("flow_key", key.name())
                .with("until", tokenAt)
                .with("estimated_start", start);
    }

    private static String quoted(KeyState key) {
        return key.name().isEmpty() ? "" : " '" + key.name() + "'";
    }

    private Reason withLine(Reason reason) {
        var line = found.line;
        return line == null ? reason : withPlace(reason, line);
    }

    private static Reason withPlace(Reason reason, Place place) {
        return reason.with("position", place.ahead() + 1)
                .with("more", place.isMore() ? JsonNodeFactory.instance.booleanNode(true) : null);
    }

    private String position() {
        var line = found.line;
        return line == null ? "1" : number(line);
    }

    private static String number(Place place) {
        return place.isMore() ? "more than " + LineStore.MOST_AHEAD : String.valueOf(place.ahead() + 1);
    }

    Reason pause() {
        var queue = state.queue();
        var until = queue.pausedUntil();
        var by = found.pausedBy;
        return new Reason(
                        ReasonCode.QUEUE_PAUSED,
                        "The queue '%s' is paused%s%s%s."
                                .formatted(
                                        queue.name(),
                                        by == null ? "" : " by " + by,
                                        until == null ? ", until it is resumed" : " until " + shown(until),
                                        queue.pauseReason() == null ? "" : ": " + queue.pauseReason()))
                .with("queue", queue.name())
                .with("since", queue.pausedAt())
                .with("until", until)
                .with("paused_by", by)
                .with("pause_reason", queue.pauseReason());
    }

    Reason noWorker() {
        var fleet = state.fleet();
        var other = fleet.adoptedBy() == null
                ? ""
                : ", nor of the region '%s', which does its work".formatted(fleet.adoptedBy());
        return new Reason(
                        ReasonCode.NO_WORKER,
                        "No worker of the region '%s' was heard of in the last 30 seconds%s."
                                .formatted(fleet.region(), other))
                .with("queue", state.queue().name())
                .with("region", fleet.region())
                .with("adopted_by", fleet.adoptedBy());
    }

    Reason noPullWorker(String endpoint) {
        var askedAt = state.queue().askedAt();
        return new Reason(
                        ReasonCode.NO_WORKER,
                        "No worker asks for this endpoint, '%s'; %s."
                                .formatted(
                                        endpoint,
                                        askedAt == null ? "none ever has" : "the last one did at " + shown(askedAt)))
                .with("queue", state.queue().name())
                .with("since", askedAt);
    }

    Reason pressure() {
        var priority = Lanes.priority(state.lane());
        var highest = found.pressure;
        var reason = new Reason(
                        ReasonCode.PRESSURE,
                        "Under pressure%s workers start priorities up to %d only, and it has %d."
                                .formatted(
                                        highest == null ? "" : " of " + highest.source(),
                                        state.fleet().leastUrgent(),
                                        priority))
                .with("priority", priority)
                .with("least_urgent", state.fleet().leastUrgent());
        if (highest != null) {
            var facts = JsonNodeFactory.instance
                    .objectNode()
                    .put("source", highest.source())
                    .put("value", highest.value());
            reason.with("pressure", highest.host() == null ? facts : facts.put("host", highest.host()))
                    .with(
                            "until",
                            highest.remaining() == null ? null : state.at().plus(highest.remaining()));
        }
        return reason;
    }

    /** The limits of its queue that keep it back. */
    List<Reason> ofQueue() {
        var queue = state.queue();
        var reasons = new ArrayList<Reason>();
        var running = found.queueHolders;
        if (queue.cap() != null && running.count() >= queue.cap()) {
            reasons.add(new Reason(
                            ReasonCode.QUEUE_AT_CAP,
                            "Of the queue '%s' %d executions run, and no more than %d may."
                                    .formatted(queue.name(), running.count(), queue.cap()))
                    .with("queue", queue.name())
                    .with("open", running.count())
                    .with("limit", queue.cap())
                    .with("held_by", running.some()));
        }
        if (queue.tokenAt() != null && queue.tokenAt().isAfter(state.at())) {
            reasons.add(new Reason(
                            ReasonCode.RATE_LIMITED,
                            "The rate of the queue '%s' lets the next execution begin at %s."
                                    .formatted(queue.name(), shown(queue.tokenAt())))
                    .with("scope", "queue")
                    .with("queue", queue.name())
                    .with("until", queue.tokenAt()));
        }
        var slow = slowStart();
        if (slow != null) {
            reasons.add(slow);
        }
        return reasons;
    }

    private @Nullable Reason slowStart() {
        if (!new FactsNeeded(state).startsSlowly()) {
            return null;
        }
        var resumedAt = Objects.requireNonNull(state.queue().resumedAt(), "it was resumed");
        var running = found.queueHolders.count();
        var cap = state.queue().cap();
        var slots = cap == null
                ? state.fleet().slots()
                : Math.min(cap, state.fleet().slots());
        var most = QueueRoom.slowStart(slots, Duration.between(resumedAt, state.at()));
        return running < most
                ? null
                : new Reason(
                                ReasonCode.SLOW_START,
                                "The queue '%s' was resumed at %s and starts slowly: %s run, of %d slots."
                                        .formatted(state.queue().name(), shown(resumedAt), running, slots))
                        .with("queue", state.queue().name())
                        .with("since", resumedAt)
                        .with("until", resumedAt.plus(QueueDetails.SLOW_START))
                        .with("open", running)
                        .with("limit", most);
    }

    /**
     * Its place in its lane.
     *
     * @param isFree whether nothing else keeps it back: otherwise no start can be estimated
     */
    Reason lane(Place place, boolean isFree) {
        var rate = found.startsPerSecond;
        var start = rate == null || place.isMore() || !isFree
                ? null
                : state.at().plusMillis(Math.round((place.ahead() + 1) / rate * 1000));
        return withPlace(
                        new Reason(
                                ReasonCode.IN_LANE,
                                "It is number %s in its lane of the queue '%s', priority %d%s."
                                        .formatted(
                                                number(place),
                                                state.queue().name(),
                                                Lanes.priority(state.lane()),
                                                start == null ? "" : ", and begins about " + shown(start))),
                        place)
                .with("queue", state.queue().name())
                .with("priority", Lanes.priority(state.lane()))
                .with("starts_per_sec", rate)
                .with("estimated_start", start);
    }
}
