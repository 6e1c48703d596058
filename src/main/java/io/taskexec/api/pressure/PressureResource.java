package io.taskexec.api.pressure;

import static io.taskexec.model.FieldDefinition.required;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.api.web.UnchangedWrite;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.PublicId;
import io.taskexec.model.ValueType;
import io.taskexec.model.flow.PressureReading;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.pressure.PressureStore;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Pressure: signals from outside, and what workers measure. */
@Path("/pressure")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class PressureResource {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** A signal that nothing tells again must come to its end. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private static final Set<String> BUILT_IN = Set.of("cpu", "memory", "event-loop", "database");

    /** The body of a signal. */
    public static final ObjectDefinition SIGNAL = ObjectDefinition.of(
            "PressureSignalUpdate",
            required("value", new ValueType.Decimal(0, 1)).says("0 is no pressure, 1 the most."),
            required("ttl", ValueType.duration())
                    .says("How long it counts: 1 second to 1 hour.")
                    .example("PT30S"));

    private final PressureStore store;

    PressureResource(PressureStore store) {
        this.store = store;
    }

    /**
     * The pressure of one source.
     *
     * @param workerId the worker that measures it of itself; absent for a signal, which all workers follow
     * @param ageMs since it was told
     * @param remainingMs how long a signal still counts
     */
    @Schema(name = "PressureReading")
    record View(
            String source,
            double value,
            @Nullable String workerId,
            @Nullable String host,
            long ageMs,
            @Nullable Long remainingMs) {
        static View of(PressureReading reading) {
            var remaining = reading.remaining();
            return new View(
                    reading.source(),
                    reading.value(),
                    PublicId.WORKER.showOrNull(reading.workerId()),
                    reading.host(),
                    reading.age().toMillis(),
                    remaining == null ? null : remaining.toMillis());
        }
    }

    /** The pressure of all sources. */
    @Schema(name = "Pressure")
    record ListedView(List<View> items) {}

    @GET
    @Operation(
            operationId = "listPressure",
            summary = OperationSummary.LIST_PRESSURE,
            description = "The signals that count now, by name, and then what each worker last told of itself.")
    public Uni<ListedView> list() {
        return store.all()
                .map(readings -> new ListedView(readings.stream().map(View::of).toList()));
    }

    @PUT
    @Path("/{name}")
    @Operation(
            operationId = "setPressure",
            summary = OperationSummary.SET_PRESSURE,
            description = "Workers follow it within about four seconds.")
    @RequestSchema("PressureSignalUpdate")
    @Fails(ErrorCode.CONFLICT)
    public Uni<View> set(@RestPath String name, byte @Nullable [] body, @Context ContainerRequestContext request) {
        var unchanged = UnchangedWrite.attachTo(request);
        checkName(name);
        var fields = Fields.of(body, SIGNAL);
        var value = fields.decimal("value");
        var time = time(fields);
        fields.check();
        var view = View.of(new PressureReading(name, value, null, null, Duration.ZERO, time));
        return store.set(name, value, time)
                .invoke(isNew -> unchanged.note(!isNew))
                .replaceWith(view);
    }

    private static Duration time(Fields fields) {
        var time = fields.duration("ttl");
        if (time.compareTo(SHORTEST) < 0 || time.compareTo(LONGEST) > 0) {
            fields.violation("ttl", "must be from %s to %s".formatted(SHORTEST, LONGEST));
        }
        return time;
    }

    private static void checkName(String name) {
        if (!ValueType.NAME.matches(name)) {
            throw new ApiException(
                    ErrorCode.INVALID_REQUEST,
                    "The name of a source is 1 to 63 lower-case letters, digits and hyphens, starting and ending"
                            + " without hyphen.");
        }
        if (BUILT_IN.contains(name)) {
            throw new ApiException(
                    ErrorCode.INVALID_REQUEST, "'%s' is what workers measure themselves.".formatted(name));
        }
    }

    @DELETE
    @Path("/{name}")
    @Operation(operationId = "clearPressure", summary = OperationSummary.CLEAR_PRESSURE)
    @Fails(ErrorCode.NOT_FOUND)
    public Uni<RestResponse<Void>> clear(@RestPath String name) {
        checkName(name);
        return store.clear(name).map(was -> {
            if (!was) {
                throw new ApiException(ErrorCode.NOT_FOUND, "There is no signal '%s'.".formatted(name));
            }
            return RestResponse.noContent();
        });
    }
}
