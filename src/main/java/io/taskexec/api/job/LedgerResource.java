package io.taskexec.api.job;

import static io.taskexec.model.FieldDefinition.required;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Cursor;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.ListView;
import io.taskexec.api.web.Paging;
import io.taskexec.api.web.QueryText;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.job.Jobs;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.PublicId;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.job.TickId;
import io.taskexec.model.job.TickOutcome;
import io.taskexec.model.job.TickRecord;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.job.LedgerStore.Late;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** The ticks of a CRON or INTERVAL job, and what became of each of them. */
@Path("/jobs/{id}")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class LedgerResource {
    /** Selects the past ticks to fire. */
    public static final ObjectDefinition BACKFILL = ObjectDefinition.of(
            "BackfillRequest",
            required("from", Plain.TIME).says("Ticks at this moment or later."),
            required("to", Plain.TIME).says("Ticks before this moment, which is not in the future."));

    private static final int MAX_BACKFILL = 1_000;

    private final JobStore jobs;
    private final LedgerStore store;
    private final LedgerGaps gaps;

    LedgerResource(JobStore jobs, LedgerStore store, LedgerGaps gaps) {
        this.jobs = jobs;
        this.store = store;
        this.gaps = gaps;
    }

    /** A tick. */
    @Schema(name = "Tick")
    record View(
            Instant scheduledAt,
            TickOutcome outcome,
            long latenessMs,
            @Nullable String executionId) {
        static View of(TickRecord tick) {
            return new View(
                    tick.scheduledAt(),
                    tick.outcome(),
                    tick.lateness().toMillis(),
                    PublicId.EXECUTION.showOrNull(tick.executionId()));
        }
    }

    /**
     * The result of a backfill.
     *
     * @param ticks how many ticks are in the range
     * @param fired how many of them have become executions by it; the others were executions already
     */
    @Schema(name = "BackfillResult")
    record BackfillView(int ticks, int fired) {}

    /**
     * The range of a backfill.
     *
     * @param to exclusive
     */
    public record Range(Instant from, Instant to) {
        /** Reads the range from a request for a backfill. */
        public static Range read(byte @Nullable [] body) {
            var fields = Fields.of(body, BACKFILL);
            var from = fields.instant("from");
            var to = fields.instant("to");
            fields.check();
            if (to.isAfter(ProgramClock.now()) || !from.isBefore(to)) {
                fields.violation("to", "must be after 'from' and not in the future");
                fields.check();
            }
            return new Range(from, to);
        }
    }

    @GET
    @Path("/ticks")
    @Operation(operationId = "listTicks", summary = OperationSummary.LIST_TICKS)
    @Fails({ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT})
    public Uni<ListView<View>> ticks(
            @RestPath String id,
            @BeanParam Paging paging,
            @RestQuery @Nullable String from,
            @RestQuery @Nullable String to,
            @RestQuery @Nullable String outcome) {
        var filter = new LedgerStore.Filter(
                QueryText.time("from", from),
                QueryText.time("to", to),
                QueryText.choice("outcome", outcome, TickOutcome.class));
        return Jobs.findScheduled(jobs, id)
                .chain(found -> store.list(found.job().id(), filter, paging.limit(), Cursor.time(paging.cursor)))
                .map(page -> ListView.of(page, View::of));
    }

    /** The ticks that should be in the ledger and are not; there must be none. */
    @GET
    @Path("/gaps")
    @Operation(operationId = "listGaps", summary = "List the ticks that the ledger has no record of.")
    @Fails({ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT})
    public Uni<LedgerGaps.View> gaps(
            @RestPath String id,
            @BeanParam Paging paging,
            @RestQuery @Nullable String from,
            @RestQuery @Nullable String to) {
        var window = LedgerGaps.Window.of(
                QueryText.time("from", from), QueryText.time("to", to), Cursor.time(paging.cursor), paging.limit());
        return Jobs.findScheduled(jobs, id).chain(found -> gaps.of(found, window));
    }

    /** Makes executions of past ticks that have not fired, of at most 1,000 at once. */
    @POST
    @Path("/backfill")
    @Operation(operationId = "backfillJob", summary = OperationSummary.BACKFILL_JOB)
    @RequestSchema("BackfillRequest")
    @Fails({ErrorCode.JOB_NOT_FOUND, ErrorCode.CONFLICT})
    public Uni<BackfillView> backfill(@RestPath String id, byte @Nullable [] body) {
        var range = Range.read(body);
        return Jobs.findScheduled(jobs, id).chain(found -> backfill(found, range));
    }

    private Uni<BackfillView> backfill(Jobs.Scheduled found, Range range) {
        var jobId = found.job().id();
        return store.extent(jobId).chain(extent -> {
            var root = extent == null ? jobId : extent.rootId();
            var schedule = Schedules.of(
                    found.trigger().timetable(), found.trigger().policy().startsAt(), TickId.seed(root));
            var ticks = schedule.between(range.from().minusNanos(1), range.to().minusNanos(1), MAX_BACKFILL + 1);
            if (ticks.size() > MAX_BACKFILL) {
                throw new ApiException(
                        ErrorCode.INVALID_REQUEST,
                        "There are more than %d ticks in this range.".formatted(MAX_BACKFILL),
                        List.of(new ApiException.Detail("/to", "must be before " + ticks.getLast())));
            }
            return store.backfill(
                            jobId,
                            ticks.stream()
                                    .map(at -> new Late(at, TickId.of(jobId, at)))
                                    .toList())
                    .chain(fired -> fired == null
                            ? Jobs.notInForce(jobs, jobId, ErrorCode.CONFLICT)
                            : Uni.createFrom().item(new BackfillView(ticks.size(), fired)));
        });
    }
}
