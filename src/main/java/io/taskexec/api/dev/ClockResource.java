package io.taskexec.api.dev;

import static io.taskexec.model.FieldDefinition.optional;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.clock.VirtualClock;
import io.taskexec.clock.VirtualClock.Advance;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.ValueType;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** The virtual clock of {@code taskexec dev --virtual-clock}; elsewhere there is no such route. */
@Path("/dev/clock")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class ClockResource {
    private static final Duration CENTURY = Duration.ofDays(36_500);
    private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);
    private static final Duration USUAL_WAIT = Duration.ofMinutes(1);
    private static final int MOST_NAMED = 10;

    /** The body of an advance. */
    public static final ObjectDefinition MOVE = ObjectDefinition.of(
            "ClockUpdate",
            optional("advance", ValueType.duration())
                    .says("How far to move it. Either this or `to` is required.")
                    .example("P40D"),
            optional("to", Plain.TIME).says("The time to move it to, not before its own."),
            optional("max_wait", ValueType.duration())
                    .says("How long what is due at one time may take: 1 second to 10 minutes; default 1 minute.")
                    .example("PT1M"));

    private final VirtualClock clock;

    ClockResource(VirtualClock clock) {
        this.clock = clock;
    }

    /**
     * The virtual clock.
     *
     * @param aheadMs of the clock of the system
     * @param advancing whether it is being moved
     * @param steps the times at which something was due on the way; of an advance only
     */
    @Schema(name = "Clock")
    record View(
            Instant now,
            long aheadMs,
            boolean advancing,
            @Nullable Long steps) {
        static View of(VirtualClock clock, @Nullable Long steps) {
            return new View(
                    ProgramClock.now().truncatedTo(ChronoUnit.MILLIS),
                    ProgramClock.ahead().toMillis(),
                    steps == null && clock.isAdvancing(),
                    steps);
        }
    }

    @GET
    @Operation(
            operationId = "getClock",
            summary = OperationSummary.GET_CLOCK,
            description = "Of `taskexec dev --virtual-clock`; other servers answer 404.")
    @Fails(ErrorCode.NOT_FOUND)
    public View get() {
        requireClock();
        return View.of(clock, null);
    }

    @POST
    @Operation(
            operationId = "advanceClock",
            summary = OperationSummary.ADVANCE_CLOCK,
            description = "Goes from one time at which something is due to the next, does it, and answers at the end."
                    + " 409 when the clock is being moved, or when what is due at one time takes longer than"
                    + " `max_wait`: the clock stays at that time. Of `taskexec dev --virtual-clock`; other servers"
                    + " answer 404.")
    @RequestSchema("ClockUpdate")
    @Fails({ErrorCode.NOT_FOUND, ErrorCode.CONFLICT})
    public Uni<View> advance(byte @Nullable [] body) {
        requireClock();
        var fields = Fields.of(body, MOVE);
        var now = ProgramClock.now();
        var goal = goal(fields, now);
        var patience = patience(fields);
        fields.check();
        return clock.advance(goal, patience).map(this::shown);
    }

    private void requireClock() {
        if (!clock.isOn()) {
            throw new ApiException(
                    ErrorCode.NOT_FOUND, "There is a virtual clock in 'taskexec dev --virtual-clock' only.");
        }
    }

    private static Instant goal(Fields fields, Instant now) {
        var time = fields.optionalDuration("advance", CENTURY);
        var to = fields.optionalInstant("to");
        if (fields.has("advance") == fields.has("to")) {
            fields.violation("advance", "or 'to', exactly one of them, is required");
        }
        if (time != null && !time.isPositive()) {
            fields.violation("advance", "must be positive");
        }
        if (to != null && to.isBefore(now)) {
            fields.violation("to", "must not be before the time of the clock, " + now.truncatedTo(ChronoUnit.MILLIS));
        }
        var goal = to != null ? to : time != null ? now.plus(time) : now;
        if (goal.isAfter(Instant.now().plus(CENTURY))) {
            fields.violation(to != null ? "to" : "advance", "must be within a hundred years from the system's time");
        }
        return goal;
    }

    private static Duration patience(Fields fields) {
        var time = fields.optionalDuration("max_wait", VirtualClock.LONGEST_ADVANCE);
        if (time != null && time.compareTo(SHORTEST_WAIT) < 0) {
            fields.violation("max_wait", "must be at least " + SHORTEST_WAIT);
        }
        return time == null ? USUAL_WAIT : time;
    }

    private View shown(Advance advance) {
        return switch (advance) {
            case Advance.Done(var steps) -> View.of(clock, steps);
            case Advance.Refused _ -> throw conflict("The clock is being moved by another request.");
            case Advance.Stuck(var running) ->
                throw conflict("The clock stays at %s, since what is due was not done in time: %s."
                        .formatted(ProgramClock.now(), named(running)));
            case Advance.TooLong _ ->
                throw conflict("The clock has come to %s within %s: move it on with another request."
                        .formatted(ProgramClock.now(), VirtualClock.LONGEST_ADVANCE));
        };
    }

    private static ApiException conflict(String message) {
        return new ApiException(ErrorCode.CONFLICT, message);
    }

    private static String named(List<String> running) {
        if (running.isEmpty()) {
            return "nothing runs, so it is held back";
        }
        var first = String.join(", ", running.subList(0, Math.min(MOST_NAMED, running.size())));
        return "still running: " + (running.size() > MOST_NAMED ? first + " and others" : first);
    }
}
